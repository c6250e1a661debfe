//go:build unix

package account

import (
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
	return s.CheckOwned(dir, new(unix.Stat_t))
}

// CloseDir is [Layout.CheckDir] for a directory in a sandbox that programs may change: one that they opened to others, as chmod 755 ~ does,
// is closed again, and one that they closed to its owner is opened. Nobody else came in: the sandbox above it is closed. No hint is needed
// that names what a session can put there.
func (s Layout) CloseDir(dir string) error {
	var st unix.Stat_t
	err := s.checkKind(dir, &st)
	if err == nil && st.Mode&0o777 != 0o700 {
		err = disk.CloseDir(dir)
	}
	return err
}

// CheckOwned is [Layout.CheckDir] that sets st to the result of lstat(2) for dir.
func (s Layout) CheckOwned(dir string, st *unix.Stat_t) error {
	err := s.checkKind(dir, st)
	if err == nil && st.Mode&0o077 != 0 {
		err = disk.Unsafe("%s: is open to other users (mode %#o)", say.Name(dir), uint32(st.Mode)&0o777)
		err = say.WithHint(err, "chmod 700 "+say.ShellQuote(dir))
	}
	return err
}

// checkKind refuses what is not a directory of the user's. The hints name nothing else, and follow no link: a session may write there.
func (s Layout) checkKind(dir string, st *unix.Stat_t) error {
	if err := unix.Lstat(dir, st); err != nil {
		return &fs.PathError{Op: "lstat", Path: dir, Err: err}
	}
	err := disk.Unsafe("%s: is not a directory", say.Name(dir))
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		return s.checkOwner(dir, st)
	case unix.S_IFLNK:
		err = disk.Unsafe("%s: is a link, and whoever can change it gets the logins", say.Name(dir))
		if target, e := filepath.EvalSymlinks(dir); e == nil && dir == s.Root {
			return say.WithHint(err, "export SWOP_ROOT="+say.ShellQuote(target))
		}
	}
	return say.WithHint(err, "rm -i "+say.ShellQuote(dir))
}

// checkOwner refuses a file or directory of another user.
func (s Layout) checkOwner(file string, st *unix.Stat_t) error {
	if int(st.Uid) == os.Geteuid() {
		return nil
	}
	err := disk.Unsafe("%s: belongs to uid %d, you are uid %d", say.Name(file), st.Uid, os.Geteuid())
	return config.HintOwner(err, file)
}

// CheckOwnerOf is [Layout.checkOwner] of the directory at path, links followed.
func (s Layout) CheckOwnerOf(dir string) error {
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return &fs.PathError{Op: "stat", Path: dir, Err: err}
	}
	return s.checkOwner(disk.Resolve(dir), &st)
}
