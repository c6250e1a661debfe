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

// Adopt returns the command that makes an account of the login that codex has without an account, "" where there is none, or an account has
// it: often it was there before swop.
func Adopt(i shim.Invocation, s store.Store) string {
	auth := filepath.Join(i.SharedHome(), "auth.json")
	if _, ok := login.OfNone(auth, s.Accounts); !ok {
		return ""
	}
	label := "own"
	for _, free := range []string{"personal", "work"} {
		if _, err := s.Find(free); errors.Is(err, account.ErrNoAccount) {
			label = free
		}
	}
	return fmt.Sprintf("codex swop add %s --import %s", label, say.ShellPath(i.Home, auth))
}
