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

// TwinText says that the account has the login of one of the others, the first of them, and how it gets its own: the browser
// remembers the last login. It is "" if it has not.
func TwinText(a account.Account, others []account.Account) string {
	o := ownerOf(a)
	for _, other := range others {
		if o == (owner{}) || other.Key == a.Key || ownerOf(other) != o {
			continue
		}
		text := fmt.Sprintf("%q has the login of %q", a.Meta.Label, other.Meta.Label)
		if o.key == "" {
			text += "; for another one sign out in the browser first, or use a private window"
		}
		return text
	}
	return ""
}

// TwinTexts returns what there is to say of each account that has the login of an earlier one in the list, by key.
func TwinTexts(all []account.Account) map[string]string {
	first, texts := map[owner]account.Account{}, map[string]string{}
	for _, a := range all {
		o := ownerOf(a)
		if other, ok := first[o]; ok {
			texts[a.Key] = TwinText(a, []account.Account{other})
		} else if o != (owner{}) {
			first[o] = a
		}
	}
	return texts
}
