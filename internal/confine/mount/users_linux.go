package mount

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"swop/internal/disk"
)

// ofSystem are the top directories of the system's own, and the root itself.
var ofSystem = []string{
	"", "usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc", "var", "opt", "nix", "gnu", "snap", "boot", "lost+found",
	"sys", "proc", "dev", "run", "tmp",
}

// OfUsers returns the other top directories, and those in /opt and /var that are the user's, whose mode a session can change, or that the
// user can write.
func OfUsers() (list []string, err error) {
	for _, dir := range []string{"/", "/opt", "/var"} {
		entries, err := os.ReadDir(dir)
		if disk.Ignore(err, fs.ErrNotExist) != nil {
			return nil, err
		}
		for _, entry := range entries {
			path := filepath.Join(dir, entry.Name())
			isUsers := dir == "/" && !slices.Contains(ofSystem, entry.Name())
			if dir != "/" && os.Geteuid() != 0 { // what is mounted at the top may hang
				var st unix.Stat_t
				err := unix.Lstat(path, &st)
				isUsers = err == nil && (int(st.Uid) == os.Geteuid() || unix.Access(path, unix.W_OK) == nil)
			}
			if isUsers && entry.IsDir() {
				list = append(list, path)
			}
		}
	}
	return list, nil
}

// Homes returns the homes in the text of passwd(5), except homes of the system's own users and in its directories.
func Homes(passwd string) (list []string) {
	for line := range strings.Lines(passwd) {
		f := strings.Split(line, ":")
		if len(f) != 7 {
			continue
		}
		const ordinary = 1000 // is the first number of such a user: login.defs(5)
		uid, _ := strconv.Atoi(f[2])
		if dir := filepath.Clean("/" + f[5]); uid >= ordinary && !slices.Contains(ofSystem, dir[1:]) {
			list = append(list, dir)
		}
	}
	return list
}
