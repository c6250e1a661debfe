//go:build unix

package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// readTrustedText returns the contents of the regular file at path, of most bytes at most, if no other user could have written them.
func readTrustedText(path string, owner int, most int64) ([]byte, error) {
	text, st, err := ReadBounded(path, syscall.O_NOFOLLOW, most)
	switch {
	case isErrno(err, syscall.ENOENT):
		return nil, nil
	case isErrno(err, syscall.ELOOP):
		return readTrustedLink(path, owner, most)
	case err != nil:
		return nil, err
	}
	return text, checkWriters(path, st, owner, filepath.Dir(path))
}

// readTrustedLink is readTrustedText where there is a link.
func readTrustedLink(path string, owner int, most int64) ([]byte, error) {
	text, st, err := ReadBounded(path, 0, most)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing(path)
	}
	if err != nil {
		return nil, err
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	return text, checkWriters(path, st, owner, filepath.Dir(path), filepath.Dir(target))
}

// missing returns an error for a dangling link: the choice that it stood for is lost, which is not the same as no choice.
func missing(file string) error {
	target, err := os.Readlink(file)
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: is a link to %q, which does not exist", file, target)
}

// isErrno reports whether a system call failed with errno. errors.Is tells more, and costs a start of codex more.
func isErrno(err error, errno syscall.Errno) bool {
	p, ok := err.(*fs.PathError)
	return ok && p.Err == errno
}

// checkWriters refuses a file that a user other than its reader, root or owner could write, or replace: dirs are those that it lies in. The
// reader's own primary group does not count: where every user has a group of his own, umask 002 is the habit.
func checkWriters(file string, st *syscall.Stat_t, owner int, dirs ...string) error {
	if err := checkWriter(file, st, owner); err != nil {
		return err
	}
	for _, dir := range dirs {
		var st syscall.Stat_t
		if err := syscall.Stat(dir, &st); err != nil {
			return &fs.PathError{Op: "stat", Path: dir, Err: err}
		}
		if st.Mode&syscall.S_ISVTX != 0 {
			st.Mode &^= 0o077 // others may write there, but not replace what is not theirs
		}
		if err := checkWriter(dir, &st, owner); err != nil {
			return err
		}
	}
	return nil
}

func checkWriter(file string, st *syscall.Stat_t, owner int) error {
	uid := int(st.Uid)
	switch mode := uint32(st.Mode) & 0o777; {
	case uid != 0 && uid != os.Geteuid() && uid != owner:
		return WithHint(fmt.Errorf("%s: belongs to uid %d, who could choose your account", file, st.Uid), fmt.Sprintf("chown %d %q", os.Geteuid(), file))
	case mode&0o002 != 0, mode&0o020 != 0 && int(st.Gid) != os.Getegid():
		mode := fs.FileMode(mode)
		return WithHint(fmt.Errorf("%s: is writable by other users (mode %#o), who could choose your account", file, mode), fmt.Sprintf("chmod go-w %q", file))
	}
	return nil
}
