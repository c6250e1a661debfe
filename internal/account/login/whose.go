package login

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"time"

	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/disk/sys"
)

// NoteOwner keeps a digest of whose login the account has now, and reports whether it was another user's, or one of another workspace, at
// the last start: codex itself can hold several logins, and a session can log in. A login that codex has renewed is the same one.
func NoteOwner(a account.Account) (changed bool, err error) {
	if a.KnowsLogin() {
		return false, nil
	}
	var st sys.Stat_t // before the file is read: what changes after that is looked at by the next start
	if err := sys.Lstat(a.AuthFile(), &st); err != nil {
		return false, &fs.PathError{Op: "lstat", Path: a.AuthFile(), Err: err}
	}
	text, err := readAuth(a.AuthFile())
	if err != nil {
		return false, err
	}
	was, now := notedOwner(a), ownerDigest(text)
	if err := disk.WriteFile(a.OwnerFile(), []byte(cmp.Or(now, was))); err != nil {
		return false, err
	}
	at := time.Unix(0, st.Mtim.Nano())
	return differ(was, now), os.Chtimes(a.OwnerFile(), at, at)
}

// ChangedText says that the account has not the login that it had.
func (l Login) ChangedText(label string) string {
	return fmt.Sprintf("account %q has another login than at its last start: %s", label, l.Text())
}

// differ reports whether two logins are known to be different ones: "" is not known.
func differ(was, now string) bool { return was != "" && now != "" && was != now }

func notedOwner(a account.Account) string {
	text, _ := disk.ReadFile(a.OwnerFile(), sys.O_NOFOLLOW, MaxAuth) // what cannot be read is not known
	return text
}

// ownerDigest tells logins apart, "" where that cannot be told. One API key is like another: nothing of it is kept.
func ownerDigest(text []byte) string {
	o := ownerIn(text)
	if o.key != "" {
		return "api-key"
	}
	return o.Digest()
}

// changed reports whether the login in text is not the one of the account's last start.
func changed(a account.Account, text []byte) bool {
	return !a.KnowsLogin() && differ(notedOwner(a), ownerDigest(text))
}
