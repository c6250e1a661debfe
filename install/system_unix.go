//go:build unix

package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/say"
)

// Another run is waited for, for three seconds. One that was killed keeps its lock a while: the kernel closed its files up to 0.1 s after it
// was reaped (Linux 6.18, a busy machine).
const (
	lockTries = 60
	lockPause = 50 * time.Millisecond
)

// lock keeps a second install or uninstall out of bin until unlock is called or the process ends. The directory itself is locked, so no
// file is left behind; where a file system has no locks, or there is no bin, there is nothing to keep out.
func lock(bin string) (unlock func(), err error) {
	dir, err := os.Open(bin)
	if err != nil {
		return func() {}, nil //nolint:nilerr // what cannot be opened is reported by the step that needs it
	}
	err = unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	for range lockTries {
		if !errors.Is(err, unix.EWOULDBLOCK) {
			break
		}
		time.Sleep(lockPause)
		err = unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, errors.Join(fmt.Errorf("another install or uninstall is at work in %s", bin), dir.Close())
	}
	return func() { dir.Close() }, nil
}

// checkOwner refuses a home that belongs to another user, as sudo leaves it on some systems: its owner could not change the files
// made there.
func checkOwner(home string, env config.Env) error {
	info, err := os.Stat(home)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(stat.Uid) == os.Geteuid() || env.Value("SWOP_ALLOW_ROOT") == "1" {
		return nil
	}
	err = fmt.Errorf("the home directory %s belongs to uid %d, and this is uid %d", home, stat.Uid, os.Geteuid())
	return say.WithHint(kindOf{err, ErrUnsafe}, "run it without sudo, or with SWOP_ALLOW_ROOT=1 if you mean it")
}

// ownedByOther says whose file it is, where it is neither this user's nor one that root, who may change all, looks at.
func ownedByOther(path string) (uid int, theirs bool) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), os.Geteuid() != 0 && int(stat.Uid) != os.Geteuid()
}

// mayWrite is true where this user can make files in dir.
func mayWrite(dir string) bool { return unix.Access(dir, unix.W_OK) == nil }

// linkCount returns how many names a file has.
func linkCount(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink) //nolint:unconvert // its width differs by platform
	}
	return 1
}

// keepOwner gives f the owner and group of the file that it is to replace.
func keepOwner(f *os.File, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	now, err := f.Stat()
	if err != nil {
		return err
	}
	if n, ok := now.Sys().(*syscall.Stat_t); ok && n.Uid == stat.Uid && n.Gid == stat.Gid {
		return nil
	}
	return f.Chown(int(stat.Uid), int(stat.Gid))
}
