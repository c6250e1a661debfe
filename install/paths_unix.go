//go:build unix

package install

import (
	"io/fs"
	"os"
	"syscall"
)

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

// dataDirs lead from the home to where swop is installed.
var dataDirs = []string{".local", "share", "swop"}

// locksDirectories says whether an open directory can be locked.
const locksDirectories = true

// replaceProgram renames over what is there, which may run.
func replaceProgram(from, to string) error { return os.Rename(from, to) }
