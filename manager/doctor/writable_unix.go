//go:build unix

package doctor

import (
	"io/fs"
	"os"
	"syscall"
)

// writable returns how another user can write the file, nil if none can. The user's own primary group does not count.
func writable(file string) *openFile {
	info, err := os.Stat(file)
	if err != nil || info.IsDir() && info.Mode()&fs.ModeSticky != 0 {
		return nil
	}
	stat := info.Sys().(*syscall.Stat_t)
	switch mode := info.Mode().Perm(); {
	case stat.Uid != 0 && int(stat.Uid) != os.Geteuid():
		return &openFile{int(stat.Uid), mode}
	case mode&0o002 != 0, mode&0o020 != 0 && int(stat.Gid) != os.Getegid():
		return &openFile{-1, mode}
	}
	return nil
}
