//go:build unix

package account

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/disk"
	"swop/internal/say"
)

// CheckDir refuses a directory of ours that another user could reach or that is not what we made: a link, no directory, someone
// else's, or open to group or world. A missing one gives an error that wraps fs.ErrNotExist.
func (s Layout) CheckDir(dir string) error {
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return &fs.PathError{Op: "lstat", Path: dir, Err: err}
	}
	return s.CheckOwned(dir, &st)
}

// close makes a directory of the user's own accessible to its owner alone.
func (s Layout) close(dir string) {
	if top, err := os.OpenRoot(filepath.Dir(dir)); err == nil {
		_ = errors.Join(top.Chmod(filepath.Base(dir), 0o700), top.Close()) // the caller checks the directory again
	}
}

// CheckOwned is [Layout.CheckDir] by the result of lstat(2) for dir.
func (s Layout) CheckOwned(dir string, st *unix.Stat_t) error {
	switch {
	case st.Mode&unix.S_IFMT == unix.S_IFLNK:
		err := disk.Unsafe("%s: is a link, and whoever can change it gets the logins", say.Name(dir))
		if target, e := filepath.EvalSymlinks(dir); e == nil && dir == s.Root {
			return say.WithHint(err, "export SWOP_ROOT="+say.ShellQuote(target))
		}
		return say.WithHint(err, "rm "+say.ShellQuote(dir))
	case st.Mode&unix.S_IFMT != unix.S_IFDIR:
		return say.WithHint(disk.Unsafe("%s: is not a directory", say.Name(dir)), "mv "+say.ShellQuote(dir)+" "+say.ShellQuote(dir+".old"))
	case s.checkOwner(dir, st) != nil:
		return s.checkOwner(dir, st)
	case st.Mode&0o077 != 0:
		err := disk.Unsafe("%s: is open to other users (mode %#o)", say.Name(dir), uint32(st.Mode)&0o777)
		return say.WithHint(err, "chmod 700 "+say.ShellQuote(dir))
	}
	return nil
}

// checkOwner refuses a file or directory of another user.
func (s Layout) checkOwner(file string, st *unix.Stat_t) error {
	uid := int(st.Uid)
	if uid == os.Geteuid() {
		return nil
	}
	err := disk.Unsafe("%s: belongs to uid %d, you are uid %d", say.Name(file), uid, os.Geteuid())
	return config.HintOwner(err, "chown", file)
}

// CheckOwnerOf is [Layout.checkOwner] of the directory at path, links followed.
func (s Layout) CheckOwnerOf(dir string) error {
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return &fs.PathError{Op: "stat", Path: dir, Err: err}
	}
	return s.checkOwner(dir, &st)
}
