package login

import (
	"cmp"
	"slices"

	"swop/internal/account"
)

// owner identifies a login: the ids of a ChatGPT login, or an API key, which never leaves this file. It is zero for an unknown one.
type owner struct {
	Identity
	key string
}

func ownerOf(a account.Account) owner {
	text, _ := readAuth(a.AuthFile()) // what cannot be read is not known
	return ownerIn(text)
}

func ownerIn(text []byte) owner {
	if IsStandIn(text) {
		return owner{}
	}
	if key, ok := APIKey(text); ok {
		return owner{key: key}
	}
	id := ParseIdentity(text)
	id.User = cmp.Or(id.User, ParseLogin(text).Email) // one workspace has many users
	if id.Account == "" || id.User == "" {
		return owner{}
	}
	return owner{Identity: id}
}

// OfNone returns the login in an auth.json outside of all accounts. It reports false without a login, and for one that an account has, too.
// It reads the accounts only if the file has a login.
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

// Twin returns the label of another account with the same login, "" for none: a browser that remembers the last login makes such twins.
func Twin(all []account.Account, a account.Account) string {
	own := ownerOf(a)
	at := slices.IndexFunc(all, func(other account.Account) bool { return other.Key != a.Key && ownerOf(other) == own })
	if at < 0 || own == (owner{}) {
		return ""
	}
	return all[at].Meta.Label
}
