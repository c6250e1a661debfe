//go:build unix

package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// readTrustedText returns the contents of the regular file at path, of most bytes at most, if no other user could have written them, or
// put another file there.
func readTrustedText(path string, places Places, most int64) ([]byte, error) {
	text, st, err := ReadBounded(path, syscall.O_NOFOLLOW, most)
	switch {
	case isErrno(err, syscall.ENOENT):
		return nil, nil
	case isErrno(err, syscall.ELOOP):
		text, st, err = ReadBounded(path, 0, most)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, missing(path)
		}
	}
	if err != nil {
		return nil, err
	}
	if err := checkWriter(path, st, places.Owner); err != nil {
		return nil, err
	}
	return text, places.checkWay(path, maxLinks)
}

// missing returns an error for a dangling link: the choice that it stood for is lost, which is not the same as no choice.
func missing(file string) error {
	target, err := os.Readlink(file)
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: is a link to %q, which does not exist", file, target)
}

// isErrno reports whether a system call failed with errno. errors.Is tells more, and costs a start of codex more.
func isErrno(err error, errno syscall.Errno) bool {
	p, ok := err.(*fs.PathError)
	return ok && p.Err == errno
}

// checkWay refuses a path in which another user could put something else in the place of a component: the directories that it names are
// checked, and those on the way that its links lead, as sshd does for authorized_keys (StrictModes in sshd_config(5)). As there,
// what is above the home is its administrator's affair. links is how many may still be followed.
func (p Places) checkWay(path string, links int) error {
	home := filepath.Clean(p.Home)
	for at := path; ; at = filepath.Dir(at) {
		var st syscall.Stat_t
		if err := syscall.Lstat(at, &st); err != nil {
			return &fs.PathError{Op: "lstat", Path: at, Err: err}
		}
		top := at == "/" || at == home
		if st.Mode&syscall.S_IFMT == syscall.S_IFLNK {
			if !top {
				if err := p.checkLink(at, &st, links); err != nil {
					return err
				}
			}
			if err := syscall.Stat(at, &st); err != nil {
				return &fs.PathError{Op: "stat", Path: at, Err: err}
			}
		}
		if at != path {
			if err := p.checkDir(at, &st); err != nil {
				return err
			}
		}
		if top {
			return nil
		}
	}
}

// checkLink checks whose a link is, which tells where others may make links, and the way to where it leads.
func (p Places) checkLink(link string, st *syscall.Stat_t, links int) error {
	st.Mode &^= 0o777 // that of a link means nothing
	if err := checkWriter(link, st, p.Owner); err != nil {
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
	return p.checkWay(withoutDots(target), links-1)
}

// withoutDots returns the absolute path without "." and "..", the directory that is meant by which a link may decide.
func withoutDots(path string) string {
	if clean := filepath.Clean(path); clean == path {
		return path
	}
	if resolved, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(resolved, filepath.Base(path))
	}
	return filepath.Clean(path)
}

// checkDir refuses a directory in which another user could replace an entry.
func (p Places) checkDir(dir string, st *syscall.Stat_t) error {
	if st.Mode&syscall.S_ISVTX != 0 {
		st.Mode &^= 0o077 // others may write there, but not replace what is not theirs
	}
	err := checkWriter(dir, st, p.Owner)
	if err != nil && st.Mode&0o022 == 0 && int(st.Uid) == ownerOf("/") {
		return nil // the superuser, by the number that a user namespace shows for him
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

// checkWriter refuses what a user other than its reader, root or owner could write. The reader's own primary group does not count: where
// every user has a group of his own, umask 002 is the habit.
func checkWriter(file string, st *syscall.Stat_t, owner int) error {
	uid := int(st.Uid)
	switch mode := uint32(st.Mode) & 0o777; {
	case uid != 0 && uid != os.Geteuid() && uid != owner:
		return WithHint(fmt.Errorf("%s: belongs to uid %d, who could choose your account", file, st.Uid), fmt.Sprintf("chown %d %q", os.Geteuid(), file))
	case mode&0o002 != 0, mode&0o020 != 0 && int(st.Gid) != os.Getegid():
		mode := fs.FileMode(mode)
		return WithHint(fmt.Errorf("%s: is writable by other users (mode %#o), who could choose your account", file, mode), fmt.Sprintf("chmod go-w %q", file))
	}
	return nil
}
