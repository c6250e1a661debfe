//go:build unix

package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"swop/internal/disk"
	"swop/internal/say"
)

// readTrustedText returns the contents of the regular file at path, of most bytes at most, if no other user could have written them, or
// put another file there.
func readTrustedText(path string, places *Places, most int64) (string, error) {
	text, err := places.readOwned(path, syscall.O_NOFOLLOW, most)
	switch {
	case err == nil:
		err = places.checkWay(filepath.Dir(path), disk.MaxLinks)
	case errors.Is(err, syscall.ENOENT):
		return "", places.lost(filepath.Dir(path))
	case errors.Is(err, syscall.ELOOP):
		if text, err = places.readOwned(path, 0, most); errors.Is(err, fs.ErrNotExist) {
			return "", missing(path)
		}
		if err == nil {
			err = places.checkWay(path, disk.MaxLinks)
		}
	}
	if err != nil {
		return "", err
	}
	return text, nil
}

// readOwned returns the contents of the file if no other user could have written them. The way to it is the caller's to check.
func (p *Places) readOwned(path string, flags int, most int64) (string, error) {
	var st syscall.Stat_t
	text, err := disk.ReadFileStat(path, flags, most, &st)
	if err != nil {
		return "", err
	}
	return text, checkWriter(path, &st)
}

// lost returns an error where dir is not there because a link on the way to it dangles, as one to a disk that is not mounted.
func (p *Places) lost(dir string) error {
	var st syscall.Stat_t
	for ; dir != p.top(dir); dir = filepath.Dir(dir) {
		switch err := syscall.Lstat(dir, &st); {
		case err == syscall.ENOENT:
		case err != nil:
			return &fs.PathError{Op: "lstat", Path: dir, Err: err}
		case isLink(&st) && syscall.Stat(dir, &st) == syscall.ENOENT:
			return missing(dir)
		default:
			return nil
		}
	}
	return nil
}

// missing returns an error for a dangling link: the choice that it stood for is lost, which is not the same as no choice.
func missing(file string) error {
	target, err := os.Readlink(file)
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: is a link to %q, which does not exist", file, target)
}

// CheckAboveRoot refuses a root below a directory in which another user could put something else in its place.
func (p *Places) CheckAboveRoot() error {
	return p.checkWay(filepath.Dir(filepath.Clean(p.Root)), disk.MaxLinks)
}

// CheckProfile accepts every path: owner and mode are checked instead.
func (*Places) CheckProfile(string) error { return nil }

// checkWay refuses a path in which another user could put something else in the place of a component: each directory is checked,
// and each link with the way that it leads, as sshd does for authorized_keys (StrictModes in sshd_config(5)). As there, what is
// above the home is its administrator's affair. What is missing is still to be made. links is how many may still be followed.
func (p *Places) checkWay(path string, links int) error {
	var st syscall.Stat_t
	for end := len(p.top(path)); ; {
		at := path[:end]
		err := syscall.Lstat(at, &st)
		if err == nil && isLink(&st) {
			if at != p.top(path) {
				return p.checkLink(at, path[end:], &st, links)
			}
			err = syscall.Stat(at, &st)
		}
		switch {
		case err == syscall.ENOENT:
			return nil
		case err != nil:
			return &fs.PathError{Op: "lstat", Path: at, Err: err}
		case st.Mode&syscall.S_IFMT == syscall.S_IFDIR:
			if err := p.checkDir(at, &st); err != nil {
				return err
			}
		}
		if end == len(path) {
			return nil
		}
		end += len(path[end:]) - len(strings.TrimLeft(path[end:], "/"))
		name, rest, _ := strings.Cut(path[end:], "/")
		if name == ".." { // at has no link in it, except the home
			real, err := filepath.EvalSymlinks(at)
			if err != nil {
				return err
			}
			return p.checkWay(filepath.Dir(real)+"/"+rest, links)
		}
		end += len(name)
	}
}

// top returns where the way to the path begins: the home, or the root of the file system.
func (p *Places) top(path string) string {
	if home := filepath.Clean(p.Home); Within(path, home) {
		return home
	}
	return "/"
}

func isLink(st *syscall.Stat_t) bool { return st.Mode&syscall.S_IFMT == syscall.S_IFLNK }

// checkLink checks who owns a link, since others may make links in some directories, and the way to rest below its target.
func (p *Places) checkLink(link, rest string, st *syscall.Stat_t, links int) error {
	st.Mode &^= 0o777 // that of a link means nothing
	if err := checkWriter(link, st); err != nil {
		return err
	}
	target, err := os.Readlink(link)
	if err != nil {
		return err
	}
	if links == 0 {
		return fmt.Errorf("%s: too many links", link)
	}
	if !filepath.IsAbs(target) {
		target = filepath.Dir(link) + "/" + target
	}
	return p.checkWay(target+rest, links-1)
}

// checkDir refuses a directory in which another user could replace an entry.
func (p *Places) checkDir(dir string, st *syscall.Stat_t) error {
	if st.Mode&syscall.S_ISVTX != 0 {
		st.Mode &^= 0o077 // others may write there, but not replace what is not theirs
	}
	err := checkWriter(dir, st)
	if err != nil && st.Mode&0o022 == 0 && int(st.Uid) == ownerOf("/") {
		return nil // the superuser, by the number that a user namespace shows
	}
	return err
}

func ownerOf(path string) int {
	var st syscall.Stat_t
	if syscall.Stat(path, &st) != nil {
		return -1
	}
	return int(st.Uid)
}

// checkWriter refuses what a user other than its reader or root could write. The reader's own primary group does not count: where
// every user has a group to themselves, umask 002 is the habit.
func checkWriter(file string, st *syscall.Stat_t) error {
	uid := int(st.Uid)
	switch mode := uint32(st.Mode) & 0o777; {
	case uid != 0 && uid != os.Geteuid():
		chown := "chown"
		if isLink(st) {
			chown = "chown -h" // or the link's owner would choose the file that root gives away
		}
		err := fmt.Errorf("%s: belongs to uid %d, who could redirect your login", file, st.Uid)
		return say.WithHint(err, fmt.Sprintf("%s %d %s", chown, os.Geteuid(), say.ShellQuote(file)))
	case mode&0o002 != 0, mode&0o020 != 0 && int(st.Gid) != os.Getegid():
		err := fmt.Errorf("%s: is writable by other users (mode %#o), who could redirect your login", file, mode)
		return say.WithHint(err, "chmod go-w "+say.ShellQuote(file))
	}
	return nil
}
