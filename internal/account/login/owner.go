package login

import (
	"cmp"
	"fmt"
	"os"
	"time"

	"swop/internal/account"
	"swop/internal/disk"
)

// NoteOwner stores a digest of the owner of the account's login, and reports whether the login of the last start was another user's, or one
// of another workspace: codex itself can hold several logins, and a session can log in. A renewed login has the same owner.
func NoteOwner(a account.Account) (changed bool, err error) {
	if a.KnowsLogin() {
		return false, nil
	}
	changedAt, err := a.LoginTime() // before the file is read: the next start sees later changes
	if err != nil {
		return false, err
	}
	text, err := readAuth(a.AuthFile())
	if err != nil {
		return false, err
	}
	was, now := notedOwner(a), ownerDigest(text)
	if err := disk.WriteFile(a.OwnerFile(), []byte(cmp.Or(now, was))); err != nil {
		return false, err
	}
	at := time.Unix(0, changedAt)
	return Differ(was, now), os.Chtimes(a.OwnerFile(), at, at)
}

// ChangedText returns the sentence for an account whose login has another owner than before.
func (l Login) ChangedText(label string) string {
	return fmt.Sprintf("account %q has another login than at its last start: %s", label, l.Text())
}

// Differ reports whether two ids, or digests, are of different owners; "" is an unknown one.
func Differ(was, now string) bool { return was != "" && now != "" && was != now }

func notedOwner(a account.Account) string {
	text, _ := disk.ReadOwn(a.OwnerFile(), MaxAuth) // a file that cannot be read has no known owner
	return text
}

// ownerDigest returns a digest of a login's owner, "" for an unknown one. All API keys have one digest: nothing of a key is stored.
func ownerDigest(text []byte) string {
	o := ownerIn(text)
	if o.key != "" {
		return "api-key"
	}
	return o.Digest()
}

// changed reports whether the login in text is not the one of the account's last start.
func changed(a account.Account, text []byte) bool {
	return Differ(notedOwner(a), ownerDigest(text)) && !a.KnowsLogin()
}
