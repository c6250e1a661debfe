package mount

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/disk"
)

// hostMount is a line of the table of mounts (proc_pid_mountinfo(5)).
type hostMount struct {
	id     string
	device string
	root   string // the path that is mounted, in its file system
	point  string // the path where it is mounted
}

// Table is a table of mounts.
type Table []hostMount

// ReadTable reads the table of this process.
func ReadTable() (table Table, err error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	unescape := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	for line := range strings.Lines(string(text)) {
		const most = 6 // the others do not matter
		f := strings.SplitN(line, " ", most)
		if len(f) == most {
			table = append(table, hostMount{f[0], f[2], unescape.Replace(f[3]), unescape.Replace(f[4])})
		}
	}
	return table, err
}

// mountOf returns the number of the mount that path is part of, "" for a missing path.
func mountOf(path string) string {
	var st unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT, unix.STATX_MNT_ID, &st) != nil {
		return ""
	}
	return strconv.FormatUint(st.Mnt_id, 10)
}

// Elsewhere returns the other paths that lead to a path, or to an entry in it: the path, the entry or a directory above is mounted there.
// It touches no other file system than the path's: a network's may hang.
func (t Table) Elsewhere(path string) (list []string) {
	own := mountOf(path)
	for _, at := range t {
		if at.id != own {
			continue
		}
		place := filepath.Join(at.root, strings.TrimPrefix(path, at.point))
		for _, m := range t {
			other, above := m.point, config.Within(place, m.root)
			if above {
				other = filepath.Join(m.point, strings.TrimPrefix(place, m.root))
			}
			leads := m.id != own && m.device == at.device && (above || config.Within(m.root, place))
			if leads && !config.Within(path, other) && mountOf(other) == m.id { // else another mount covers this one
				list = append(list, other)
			}
		}
	}
	return list
}

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
