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

	"swop/disk"
	"swop/say"
)

// readTrustedText returns the contents of the regular file at path, of most bytes at most, if no other user could have written them, or
// put another file there.
func readTrustedText(path string, places *Places, most int64) (string, error) {
	text, err := places.readOwned(path, syscall.O_NOFOLLOW, most)
	switch {
	case err == nil:
		err = places.checkAbove(path, disk.MaxLinks)
	case isErrno(err, syscall.ENOENT):
		return "", places.lost(filepath.Dir(path))
	case isErrno(err, syscall.ELOOP):
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
	return text, checkWriter(path, &st, p.Owner)
}

// lost returns an error where dir is not there because a link on the way to it dangles, as one to a disk that is not mounted.
func (p *Places) lost(dir string) error {
	var st syscall.Stat_t
	for ; !p.isTop(dir); dir = filepath.Dir(dir) {
		switch err := syscall.Lstat(dir, &st); {
		case err == syscall.ENOENT:
		case err != nil:
			return &fs.PathError{Op: "lstat", Path: dir, Err: err}
		case st.Mode&syscall.S_IFMT == syscall.S_IFLNK && syscall.Stat(dir, &st) == syscall.ENOENT:
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

// isErrno reports whether a system call failed with errno. errors.Is finds more, and costs a start of codex more.
func isErrno(err error, errno syscall.Errno) bool {
	p, ok := err.(*fs.PathError)
	return ok && p.Err == errno
}

// checkWay refuses a path in which another user could put something else in the place of a component: the directories that it names are
// checked, and those on the way that its links lead, as sshd does for authorized_keys (StrictModes in sshd_config(5)). As there,
// what is above the home is its administrator's affair. links is how many may still be followed.
func (p *Places) checkWay(path string, links int) error {
	var st syscall.Stat_t
	if err := p.checkStep(path, &st, links); err != nil || p.isTop(path) {
		return err
	}
	return p.checkAbove(path, links)
}

// checkAbove is checkWay for a path that is known not to be a link. Directories that are still to be made are passed over.
func (p *Places) checkAbove(path string, links int) error {
	var st syscall.Stat_t
	for !p.isTop(path) {
		path = filepath.Dir(path)
		err := p.checkStep(path, &st, links)
		if isErrno(err, syscall.ENOENT) {
			continue
		}
		if err == nil {
			err = p.checkDir(path, &st)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// CheckAboveRoot refuses a root below a directory in which another user could put something else in its place. What is above the home is its
// administrator's affair.
func (p *Places) CheckAboveRoot() error { return p.checkAbove(filepath.Clean(p.Root), disk.MaxLinks) }

func (p *Places) isTop(path string) bool { return path == "/" || path == filepath.Clean(p.Home) }

// checkStep checks the way of a path that is a link, and puts into st what stat(2) says of it.
func (p *Places) checkStep(path string, st *syscall.Stat_t, links int) error {
	if err := syscall.Lstat(path, st); err != nil {
		return &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFLNK {
		return nil
	}
	if !p.isTop(path) {
		if err := p.checkLink(path, st, links); err != nil {
			return err
		}
	}
	if err := syscall.Stat(path, st); err != nil {
		return &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	return nil
}

// checkLink checks who owns a link, since others may make links in some directories, and the way to its target.
func (p *Places) checkLink(link string, st *syscall.Stat_t, links int) error {
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
	if target, err = p.withoutDots(target, links-1); err != nil {
		return err
	}
	return p.checkWay(target, links-1)
}

// withoutDots returns the absolute path without "." and "..". A link may decide which directory is meant by a "..": the way to it is checked.
func (p *Places) withoutDots(path string, links int) (string, error) {
	clean := "/"
	for name := range strings.SplitSeq(path, "/") {
		if name != ".." {
			clean = filepath.Join(clean, name)
			continue
		}
		if err := p.checkWay(clean, links); err != nil {
			return "", err
		}
		resolved, err := disk.RealPath(clean)
		if err != nil {
			return "", err
		}
		clean = filepath.Dir(resolved)
	}
	return clean, nil
}

// checkDir refuses a directory in which another user could replace an entry.
func (p *Places) checkDir(dir string, st *syscall.Stat_t) error {
	if st.Mode&syscall.S_ISVTX != 0 {
		st.Mode &^= 0o077 // others may write there, but not replace what is not theirs
	}
	err := checkWriter(dir, st, p.Owner)
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

// checkWriter refuses what a user other than its reader, root or owner could write. The reader's own primary group does not count: where
// every user has a group to themselves, umask 002 is the habit.
func checkWriter(file string, st *syscall.Stat_t, owner int) error {
	uid := int(st.Uid)
	switch mode := uint32(st.Mode) & 0o777; {
	case uid != 0 && uid != os.Geteuid() && uid != owner:
		chown := "chown"
		if st.Mode&syscall.S_IFMT == syscall.S_IFLNK {
			chown = "chown -h" // or the link's owner would choose the file that root gives away
		}
		err := fmt.Errorf("%s: belongs to uid %d, who could choose your account", file, st.Uid)
		return say.WithHint(err, fmt.Sprintf("%s %d %s", chown, os.Geteuid(), say.ShellQuote(file)))
	case mode&0o002 != 0, mode&0o020 != 0 && int(st.Gid) != os.Getegid():
		err := fmt.Errorf("%s: is writable by other users (mode %#o), who could choose your account", file, mode)
		return say.WithHint(err, "chmod go-w "+say.ShellQuote(file))
	}
	return nil
}
