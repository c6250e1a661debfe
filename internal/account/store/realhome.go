package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/say"
)

// RealHome returns the home that the account's sandbox shows, and where that was before if it has moved since. While the
// account's own home still exists, the account is not shown another one.
func RealHome(s Store, a *account.Account) (home, former string, err error) {
	own := a.Meta.RealHome
	if own == s.Home {
		return own, "", nil
	}
	then, err := os.Stat(own)
	if errors.Is(err, fs.ErrNotExist) {
		a.Meta.RealHome = s.Home
		return s.Home, own, s.WriteMeta(a)
	}
	if err != nil {
		return "", "", err
	}
	now, err := os.Stat(s.Home)
	if err != nil {
		return "", "", err
	}
	if !os.SameFile(then, now) {
		err := disk.Unsafe("the account %q belongs to the home %s, but HOME is %s", a.Meta.Label, own, s.Home)
		err = say.WithHint(err, "codex swop doctor --fix") // which asks whether this HOME is a copy
		return "", "", say.WithHint(err, fmt.Sprintf("export HOME=%s", say.ShellQuote(own)))
	}
	return own, "", nil
}
