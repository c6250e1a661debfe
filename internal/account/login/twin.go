package login

import (
	"cmp"
	"fmt"
	"slices"

	"swop/internal/account"
)

// owner tells logins apart: the ids of a ChatGPT login, or an API key, which never leaves this file. It is zero where that is not known.
type owner struct{ account, user, key string }

func ownerOf(a account.Account) owner {
	text, err := readAuth(a.AuthFile())
	if err != nil {
		return owner{}
	}
	return ownerIn(text)
}

func ownerIn(text []byte) owner {
	if key, ok := APIKey(text); ok {
		return owner{key: key}
	}
	id := ParseIdentity(text)
	if user := cmp.Or(id.User, ParseLogin(text).Email); id.Account != "" && user != "" { // one workspace has many users
		return owner{account: id.Account, user: user}
	}
	return owner{}
}

// OfNone returns the login in an auth.json outside of all accounts, and whether it is one, and none of theirs. It reads the accounts only
// if the file has a login; one that cannot be read has none that could be compared.
func OfNone(file string, accounts func() ([]account.Account, error)) (Login, bool) {
	text, err := readAuth(file)
	l := ParseLogin(text)
	if err != nil || l.Mode != "chatgpt" && l.Mode != "api-key" {
		return l, false
	}
	o := ownerIn(text)
	all, _ := accounts()
	return l, o == (owner{}) || !slices.ContainsFunc(all, func(a account.Account) bool { return ownerOf(a) == o })
}

// IsOnlyCopy reports whether the account's login is nobody's whose login lies in the file.
func IsOnlyCopy(a account.Account, file string) bool {
	text, err := readAuth(file)
	o := ownerOf(a)
	return err != nil || o == (owner{}) || ownerIn(text) != o
}

// Twins are accounts with one login, the oldest first.
type Twins []account.Account

// FindTwins returns the twins among the accounts.
func FindTwins(all []account.Account) (found []Twins) {
	all = slices.SortedStableFunc(slices.Values(all), func(a, b account.Account) int {
		return a.Meta.CreatedAt.Time().Compare(b.Meta.CreatedAt.Time())
	})
	at := map[owner]int{}
	var groups []Twins
	for _, a := range all {
		o := ownerOf(a)
		if o == (owner{}) {
			continue
		}
		if _, ok := at[o]; !ok {
			at[o], groups = len(groups), append(groups, nil)
		}
		groups[at[o]] = append(groups[at[o]], a)
	}
	return slices.DeleteFunc(groups, func(t Twins) bool { return len(t) < 2 })
}

// Text says that an account has the login of another one, and how it gets its own: the browser remembers the last login.
func (t Twins) Text(a account.Account) string {
	other := t[0]
	if other.Key == a.Key {
		other = t[1]
	}
	text := fmt.Sprintf("%q has the login of %q", a.Meta.Label, other.Meta.Label)
	if IdentityOf(a) != (Identity{}) {
		text += "; for another one sign out in the browser first, or use a private window"
	}
	return text
}

// TwinText returns [Twins.Text] of the account, "" if no other one of all has its login.
func TwinText(a account.Account, all []account.Account) string {
	for _, t := range FindTwins(all) {
		if slices.ContainsFunc(t, func(b account.Account) bool { return b.Key == a.Key }) {
			return t.Text(a)
		}
	}
	return ""
}
