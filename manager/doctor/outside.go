package doctor

import (
	"errors"
	"fmt"
	"path/filepath"

	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/account/store"
	"swop/internal/say"
	"swop/shim"
)

// Outside is a login that codex has without an account, and that no account has: often the one that was there before swop.
type Outside struct {
	Login   login.Login
	File    string // for people
	Command string // makes an account of it
}

// FindOutside returns the login outside of all accounts, and whether there is one.
func FindOutside(i shim.Invocation, s store.Store) (Outside, bool) {
	auth := filepath.Join(i.SharedHome(), "auth.json")
	found, ok := login.OfNone(auth, s.Accounts)
	if !ok {
		return Outside{}, false
	}
	label := "own"
	for _, free := range []string{"personal", "work"} {
		if _, err := s.Find(free); errors.Is(err, account.ErrNoAccount) {
			label = free
		}
	}
	file := say.ShellPath(i.Home, auth)
	return Outside{found, file, fmt.Sprintf("codex swop add %s --import %s", label, file)}, true
}

// Text says what the login is, and when codex uses it.
func (o Outside) Text() string {
	return fmt.Sprintf("%s has a login that is no account's: %s", o.File, o.Login.Text())
}
