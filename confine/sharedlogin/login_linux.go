// Package sharedlogin keeps an account's login one file in two directories: the account's codex home, and a confined session's.
package sharedlogin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"

	"golang.org/x/sys/unix"

	"swop/disk"
)

// Login keeps the account's auth.json one file in two directories: the account's codex home and the view of a session. It is a hard link,
// never a copy: a refreshed login is valid once. Releases that write it in place keep the link; one that replaces it, as 0.169 does, breaks
// it, and it is made again at once, so that no session refreshes with a token that was used.
type Login struct {
	own, view string // the directories
	dirs      []*os.File
	changes   chan os.Signal // something appeared in one of them
	stop      chan struct{}
	stopped   chan struct{}
	last      uint64 // the inode that both have, 0 for none
}

const authFile = "auth.json"

// maxAuth bounds an auth.json.
const maxAuth = 1 << 20

// Share links the login, and the locks that codex takes for it, into the view, and keeps them one until it is stopped.
func Share(own, view string) (*Login, error) {
	l := &Login{own: own, view: view, changes: make(chan os.Signal, 1), stop: make(chan struct{}), stopped: make(chan struct{})}
	for _, name := range []string{"auth.lock", "auth.json.lock"} {
		if err := os.Link(filepath.Join(own, name), filepath.Join(view, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	signal.Notify(l.changes, unix.SIGIO) // for good: one that comes late would end this process
	err := errors.Join(l.watch(own), l.watch(view))
	if err == nil {
		err = l.sync()
	}
	if err != nil {
		l.close()
		return nil, err
	}
	go l.follow()
	return l, nil
}

// follow links the login again whenever one appears in either directory.
func (l *Login) follow() {
	defer close(l.stopped)
	for {
		select {
		case <-l.changes:
			_ = l.sync() // tried again at the next event and at the end, which says what is wrong
		case <-l.stop:
			return
		}
	}
}

// Stop ends it, after a last look.
func (l *Login) Stop() error {
	close(l.stop)
	<-l.stopped
	l.close()
	return l.sync()
}

var errNoDnotify = errors.New("the kernel cannot tell when codex replaces the login: it was built without dnotify (CONFIG_DNOTIFY)")

// watch lets the kernel send SIGIO for each file that appears in a directory, by dnotify: the end of an inotify instance waits for all processors, which
// takes longer than all else at the end of a session (13 ms).
func (l *Login) watch(dir string) error {
	const created, again = 0x4, 0x80000000 // DN_CREATE, which is also what a rename brings, and DN_MULTISHOT (fcntl(2))
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &fs.PathError{Op: "open", Path: dir, Err: err}
	}
	l.dirs = append(l.dirs, os.NewFile(uintptr(fd), dir))
	_, err = unix.FcntlInt(uintptr(fd), unix.F_NOTIFY, created|again)
	if errors.Is(err, unix.EINVAL) {
		err = errNoDnotify
	}
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	return nil
}

func (l *Login) close() {
	for _, dir := range l.dirs {
		_ = dir.Close() // nothing was written
	}
}

// sync makes the two names one file: the one that was replaced since the last time wins; the session's, if both were.
func (l *Login) sync() error {
	mine, ownErr := loginAt(l.own)
	theirs, viewErr := loginAt(l.view)
	if err := errors.Join(ownErr, viewErr); err != nil {
		return err
	}
	switch own, view := mine.Ino, theirs.Ino; {
	case own == view:
		l.last = own
		return nil
	case view != 0 && view != l.last:
		l.last = view
		return linkLogin(l.view, l.own)
	case own != 0:
		l.last = own
		return linkLogin(l.own, l.view)
	}
	return nil // logged out on one side
}

// loginAt returns what the login in dir is, the zero value for none. What a session put there and is no login of the user's is refused.
func loginAt(dir string) (st unix.Stat_t, err error) {
	file := filepath.Join(dir, authFile)
	if err := unix.Lstat(file, &st); err != nil {
		return st, disk.Ignore(&fs.PathError{Op: "lstat", Path: file, Err: err}, fs.ErrNotExist)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || int(st.Uid) != os.Geteuid() || st.Size > maxAuth {
		return st, disk.Unsafe("%s: is not a login of yours", file)
	}
	return st, nil
}

// linkLogin gives the login in from a second name in to, by a rename over the one that is there. The link is made of an open file that was
// checked, whatever takes its name meanwhile.
func linkLogin(from, to string) error {
	fd, err := unix.Open(filepath.Join(from, authFile), unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return &fs.PathError{Op: "open", Path: filepath.Join(from, authFile), Err: err}
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || int(st.Uid) != os.Geteuid() {
		return disk.Unsafe("%s: is not a login of yours", filepath.Join(from, authFile))
	}
	temp := filepath.Join(to, fmt.Sprintf(".auth-swop-%d-%d", os.Getpid(), st.Ino))
	_ = os.Remove(temp) // of a killed run
	if err := unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), unix.AT_FDCWD, temp, unix.AT_SYMLINK_FOLLOW); err != nil {
		return &os.LinkError{Op: "link", Old: filepath.Join(from, authFile), New: temp, Err: err}
	}
	// Where both names are one file already, rename(2) does nothing and leaves the temporary one.
	err = os.Rename(temp, filepath.Join(to, authFile))
	return errors.Join(err, disk.Ignore(os.Remove(temp), fs.ErrNotExist))
}

// Rescue gives the account the login in view, of a session that nobody looked after, if that is newer than the one in own.
func Rescue(own, view string) error {
	theirs, err := loginAt(view)
	ours, ownErr := loginAt(own)
	if err != nil || ownErr != nil || theirs.Ino == 0 || ours.Ino == 0 || theirs.Ino == ours.Ino || !disk.Older(ours.Mtim, theirs.Mtim) {
		return nil // no login, or what is none: it goes with the session; or logged out, or in again, since
	}
	return linkLogin(view, own)
}
