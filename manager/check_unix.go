//go:build unix

package manager

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"swop/config"
)

// checkDir refuses a directory of ours that another user could reach or that is not what we made: a link, no directory, someone
// else's, or open to group or world. A missing one gives an error that wraps fs.ErrNotExist.
func (s Store) checkDir(dir string) error {
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return &fs.PathError{Op: "lstat", Path: dir, Err: err}
	}
	return s.checkOwned(dir, &st)
}

func (s Store) checkOwned(dir string, st *unix.Stat_t) error {
	switch {
	case st.Mode&unix.S_IFMT == unix.S_IFLNK:
		err := unsafe("%s: is a link, and whoever can change it gets the logins", Shown(dir))
		if target, e := filepath.EvalSymlinks(dir); e == nil && dir == s.Root {
			return config.WithHint(err, "export SWOP_ROOT="+ShellQuote(target))
		}
		return config.WithHint(err, fmt.Sprintf("mv %s %s", ShellQuote(dir), ShellQuote(dir+".old")))
	case st.Mode&unix.S_IFMT != unix.S_IFDIR:
		return config.WithHint(unsafe("%s: is not a directory", Shown(dir)), fmt.Sprintf("mv %s %s", ShellQuote(dir), ShellQuote(dir+".old")))
	case s.checkOwner(dir, st) != nil:
		return s.checkOwner(dir, st)
	case st.Mode&0o077 != 0:
		return config.WithHint(unsafe("%s: is open to other users (mode %#o)", Shown(dir), st.Mode&0o777), "chmod 700 "+ShellQuote(dir))
	}
	return nil
}

// checkOwner refuses what belongs to another user.
func (s Store) checkOwner(file string, st *unix.Stat_t) error {
	uid := int(st.Uid)
	if uid == os.Geteuid() || s.Owner != 0 && uid == s.Owner {
		return nil
	}
	return config.WithHint(unsafe("%s: belongs to uid %d, you are uid %d", Shown(file), uid, os.Geteuid()), fmt.Sprintf("sudo chown %d %s", os.Geteuid(), ShellQuote(file)))
}

func unsafe(format string, args ...any) error {
	return &refusal{ErrUnsafe, fmt.Sprintf(format, args...)}
}

// refusal is an error of a kind, whose text stands alone.
type refusal struct {
	kind error
	text string
}

func (r *refusal) Error() string { return r.text }
func (r *refusal) Unwrap() error { return r.kind }

// makeDir makes dir owner-only, whatever the umask; one that exists is checked instead.
func (s Store) makeDir(dir string) error {
	switch err := os.Mkdir(dir, 0o700); {
	case errors.Is(err, fs.ErrExist):
		return s.checkDir(dir)
	case err != nil:
		return err
	}
	return os.Chmod(dir, 0o700)
}
