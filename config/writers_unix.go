//go:build unix

package config

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// checkWriters refuses a file that a user other than its reader, root or owner could write, or replace. The reader's own primary group
// does not count: where every user has a group of his own, umask 002 is the habit.
func checkWriters(file string, info fs.FileInfo, owner int) error {
	if err := checkWriter(file, info, owner); err != nil {
		return err
	}
	dirs := []string{filepath.Dir(file)}
	if target, err := filepath.EvalSymlinks(file); err == nil && target != file {
		dirs = append(dirs, filepath.Dir(target))
	}
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeSticky != 0 {
			info = ownerOnly{info} // others may write there, but not replace what is not theirs
		}
		if err := checkWriter(dir, info, owner); err != nil {
			return err
		}
	}
	return nil
}

// ownerOnly is a directory without what its mode lets others do.
type ownerOnly struct{ fs.FileInfo }

func (o ownerOnly) Mode() fs.FileMode { return o.FileInfo.Mode() &^ 0o077 }

func checkWriter(file string, info fs.FileInfo, owner int) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("%s: its owner cannot be told", file)
	}
	uid := int(stat.Uid)
	switch mode := info.Mode().Perm(); {
	case uid != 0 && uid != os.Geteuid() && uid != owner:
		return WithHint(fmt.Errorf("%s: belongs to uid %d, who could choose your account", file, stat.Uid), fmt.Sprintf("chown %d %q", os.Geteuid(), file))
	case mode&0o002 != 0, mode&0o020 != 0 && int(stat.Gid) != os.Getegid():
		return WithHint(fmt.Errorf("%s: is writable by other users (mode %#o), who could choose your account", file, mode), fmt.Sprintf("chmod go-w %q", file))
	}
	return nil
}

// openNow opens a file for reading and never waits, as a FIFO would make it.
func openNow(file string) (*os.File, error) {
	return os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}
