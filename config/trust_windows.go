package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/say"
)

// readTrustedText returns the contents of the regular file at path, of most bytes at most, if no other user could have written them, or put
// another file there; "" if it is missing.
func readTrustedText(path string, places *Places, most int64) (string, error) {
	text, err := disk.ReadFile(path, 0, most)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if err := refuseOthers(path, sys.ToWrite); err != nil {
		return "", err
	}
	return text, places.checkAbove(path)
}

// CheckAboveRoot refuses a root below a directory in which another user could put something else in its place. What is above the home is
// its administrator's affair.
func (p *Places) CheckAboveRoot() error { return p.checkAbove(filepath.Clean(p.Root)) }

// checkAbove is for the directories above path, up to the home or the top of the drive. Those that are still to be made are passed over.
func (p *Places) checkAbove(path string) error {
	for !strings.EqualFold(path, filepath.Clean(p.Home)) && filepath.Dir(path) != path {
		path = filepath.Dir(path)
		if err := refuseOthers(path, sys.ToReplace); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func refuseOthers(path string, rights sys.Access) error {
	who, err := sys.Others(path, rights)
	if err != nil || who == "" {
		return err
	}
	err = fmt.Errorf("%s: %s may change it, and could choose your account", path, who)
	return say.WithHint(err, fmt.Sprintf("icacls %s /remove %s", say.ShellQuote(path), say.ShellQuote(who)))
}
