//go:build unix

package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"swop/internal/disk"
	"swop/internal/say"
)

// readTrustedText returns the contents of the regular file at path, at most so many bytes, if no other user could have written them, or put
// another file there; "" if it is missing.
func readTrustedText(path string, places *Places, most int64) (string, error) {
	var st unix.Stat_t
	text, err := disk.ReadFileStat(path, 0, most, &st)
	if err == nil && checkWriter(path, &st) != nil {
		err = checkWriter(disk.Resolve(path), &st) // no hint follows a link
	}
	switch {
	case err == nil:
		err = places.checkWay(path)
	case errors.Is(err, fs.ErrNotExist):
		if err = places.checkWay(path); !errors.Is(err, errLost) {
			return "", nil
		}
	}
	if err != nil {
		return "", err
	}
	return text, nil
}

// CheckAboveRoot refuses a root below a directory in which another user could put something else in its place.
func (p *Places) CheckAboveRoot() error {
	return p.checkWay(filepath.Dir(filepath.Clean(p.Root)))
}

// CheckProfile accepts every path: owner and mode are checked instead.
func (*Places) CheckProfile(string) error { return nil }

var errLost = errors.New("is a link to something that does not exist")

// checkWay refuses a path in which another user could put something else in the place of a component: each directory is checked,
// and each link with the way that it leads, as sshd does for authorized_keys (StrictModes in sshd_config(5)). As there, what is
// above the home is its administrator's affair. What is missing is still to be made, but behind a link it is lost: on a disk that is not
// mounted.
func (p *Places) checkWay(path string) error {
	top := p.top(path)
	at, rest := top, path[len(top):]
	link, behind := "", 0 // the link that at is behind, while rest is at least so long
	for links := 0; ; {
		var st unix.Stat_t
		stat := unix.Lstat
		if at == top {
			stat = unix.Stat
		}
		switch err := stat(at, &st); {
		case err == unix.ENOENT && link != "" && len(rest) >= behind:
			return fmt.Errorf("%s: %w", link, errLost)
		case err == unix.ENOENT:
			return nil
		case err != nil:
			return &fs.PathError{Op: "lstat", Path: at, Err: err}
		case isLink(&st):
			target, err := checkLink(at, &st)
			if links++; err != nil || links > disk.MaxLinks {
				return cmp.Or(err, fmt.Errorf("%s: too many links", at))
			}
			if link == "" || len(rest) < behind {
				link, behind = at, len(rest)
			}
			path = target + rest
			top = p.top(path)
			at, rest = top, path[len(top):]
			continue
		case st.Mode&unix.S_IFMT == unix.S_IFDIR:
			if st.Mode&unix.S_ISVTX != 0 {
				st.Mode &^= 0o077 // others may write there, but not replace what is not theirs
			}
			if err := checkWriter(at, &st); err != nil {
				return err
			}
		}
		name, tail, _ := strings.Cut(strings.TrimLeft(rest, "/"), "/")
		switch {
		case name == "":
			return nil
		case name == "..": // at has no link in it, except the home
			real, err := filepath.EvalSymlinks(at)
			if err != nil {
				return err
			}
			path = strings.TrimSuffix(filepath.Dir(real), "/") + "/" + tail
			top = p.top(path)
			at, rest = top, path[len(top):]
		default:
			at, rest = strings.TrimSuffix(at, "/")+"/"+name, strings.TrimSuffix("/"+tail, "/")
		}
	}
}

// top returns the directory at which the check of a path begins: the home, or the root of the file system.
func (p *Places) top(path string) string {
	if home := filepath.Clean(p.Home); Within(path, home) {
		return home
	}
	return "/"
}

func isLink(st *unix.Stat_t) bool { return st.Mode&unix.S_IFMT == unix.S_IFLNK }

// checkLink returns where a link leads. Others may make links in some directories: its owner counts.
func checkLink(link string, st *unix.Stat_t) (string, error) {
	st.Mode &^= 0o777 // that of a link means nothing
	if err := checkWriter(link, st); err != nil {
		return "", err
	}
	target, err := os.Readlink(link)
	if !filepath.IsAbs(target) {
		target = filepath.Dir(link) + "/" + target
	}
	return target, err
}

// HintOwner adds to the error about a file of another user the command that takes it over, but only in a directory of the user's own: /etc,
// or somebody's home, may be named by a slip. Root owns /home as well, which others reach, and which is not sticky. The command follows no
// link: whoever can put one there would choose the file that root gives away.
func HintOwner(err error, file string) error {
	var above unix.Stat_t
	if e := unix.Stat(filepath.Dir(file), &above); e != nil || int(above.Uid) != os.Geteuid() || above.Uid == 0 && above.Mode&0o1001 == 0o001 {
		return say.WithHint(err, "name a directory of your own")
	}
	return say.WithHint(err, fmt.Sprintf("sudo chown -h %d %s", os.Geteuid(), say.ShellQuote(file)))
}

// checkWriter refuses what a user other than its reader or root could write. A primary group that the reader has alone does not count:
// where every user has one, umask 002 is the habit.
func checkWriter(file string, st *unix.Stat_t) error {
	uid := int(st.Uid)
	switch mode := uint32(st.Mode) & 0o777; {
	case uid != 0 && uid != os.Geteuid():
		err := disk.Unsafe("%s: belongs to uid %d, who could redirect your login", file, st.Uid)
		return HintOwner(err, file)
	case mode&0o002 != 0, mode&0o020 != 0 && (int(st.Gid) != os.Getegid() || !hasOwnGroup()):
		err := disk.Unsafe("%s: is writable by other users (mode %#o), who could redirect your login", file, mode)
		return say.WithHint(err, "chmod go-w "+say.ShellQuote(file))
	}
	return nil
}

// hasOwnGroup reports whether the reader's primary group is surely theirs alone; false where the lists of users cannot be read.
func hasOwnGroup() bool {
	users, _ := os.ReadFile("/etc/passwd")
	groups, _ := os.ReadFile("/etc/group")
	return isOwnGroup(string(users), string(groups), strconv.Itoa(os.Geteuid()), strconv.Itoa(os.Getegid()))
}

// isOwnGroup reports whether a group has the user's name, and by passwd(5) and group(5) nobody else in it.
func isOwnGroup(users, groups, uid, gid string) bool {
	name, ok := "", false
	for line := range strings.Lines(users) {
		switch f := strings.SplitN(line, ":", 5); {
		case len(f) < 5:
		case f[2] == uid:
			name = f[0]
		case f[3] == gid:
			return false
		}
	}
	for line := range strings.Lines(groups) {
		if f := strings.Split(strings.TrimSpace(line), ":"); len(f) == 4 && f[2] == gid {
			ok = f[0] == name && (f[3] == "" || f[3] == name)
		}
	}
	return ok
}
