//go:build unix

package install

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/disk"
	"swop/say"
)

// checkOwner refuses a home that belongs to another user, as sudo leaves it on some systems: its owner could not change the files
// made there.
func checkOwner(home string, env config.Env) error {
	info, err := os.Stat(home)
	if err != nil {
		return err
	}
	stat := statOf(info)
	if int(stat.Uid) == os.Geteuid() || env.Value("SWOP_ALLOW_ROOT") == "1" {
		return nil
	}
	err = disk.Unsafe("the home directory %s belongs to uid %d, and you are uid %d", home, stat.Uid, os.Geteuid())
	return say.WithHint(err, "run it without sudo, or with SWOP_ALLOW_ROOT=1 if you mean it")
}

// ownedByOther returns the owner of the file, and whether that is another user. Root, who may change every file, has no others.
func ownedByOther(path string) (uid int, theirs bool) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, false
	}
	uid = int(statOf(info).Uid)
	return uid, os.Geteuid() != 0 && uid != os.Geteuid()
}

// mayWrite reports whether this user can make files in dir.
func mayWrite(dir string) bool { return unix.Access(dir, unix.W_OK) == nil }

// statOf returns what stat(2) said of a file of the system.
func statOf(info fs.FileInfo) syscall.Stat_t {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return *stat
	}
	return syscall.Stat_t{}
}

// chownLike gives f the owner and group in info.
func chownLike(f *os.File, info fs.FileInfo) error {
	stat := statOf(info)
	return f.Chown(int(stat.Uid), int(stat.Gid))
}

// namesOf returns how many names the file has.
func namesOf(info fs.FileInfo) uint64 { return uint64(statOf(info).Nlink) }
