//go:build unix

package swop

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"swop/manager/verb"
	"swop/say"
)

// tighten closes a directory or a login of this user's, no link, if others have rights on it. Anything else is left.
func tighten(call *verb.Call, path string) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Mode()&0o077 == 0 || int(info.Sys().(*syscall.Stat_t).Uid) != os.Geteuid() {
		return
	}
	mode := fs.FileMode(0o700)
	if info.Mode().IsRegular() && filepath.Base(path) == "auth.json" {
		mode = 0o600
	} else if !info.IsDir() {
		return
	}
	fixed(call, file.Chmod(mode), "%s was open to other users, and has mode %#o now", say.Name(path), mode)
}
