//go:build unix

package doctor

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"swop/install"
)

// Writable returns the files of the installation that another user can write, none if this program is not installed. The user's own
// primary group does not count.
func (s Subject) Writable() (list []WritableFile) {
	prefix := install.PrefixOf(s.Program)
	if prefix == "" {
		return nil
	}
	for _, file := range []string{prefix, filepath.Dir(s.Program), s.shim(), s.Program} {
		info, err := os.Stat(file)
		if err != nil || info.IsDir() && info.Mode()&fs.ModeSticky != 0 {
			continue
		}
		stat := info.Sys().(*syscall.Stat_t)
		switch mode := info.Mode().Perm(); {
		case stat.Uid != 0 && int(stat.Uid) != os.Geteuid():
			list = append(list, WritableFile{file, int(stat.Uid), mode})
		case mode&0o002 != 0, mode&0o020 != 0 && int(stat.Gid) != os.Getegid():
			list = append(list, WritableFile{file, -1, mode})
		}
	}
	return list
}
