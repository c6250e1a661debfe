package sharedlogin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// watch tells what appears in some directories, by dnotify's signals: the end of an inotify instance waits for all processors, which takes longer
// than all else at the end of a session (13 ms).
type watch struct {
	changes chan struct{} // something appeared since it was received from
	dirs    []*os.File
	done    chan struct{}
}

var errNoDnotify = errors.New("the kernel cannot tell when codex replaces the login: it was built without dnotify (CONFIG_DNOTIFY)")

// watchDirs lets the kernel send SIGIO for each file that appears in one of the directories.
func watchDirs(dirs ...string) (*watch, error) {
	w := &watch{changes: make(chan struct{}, 1), done: make(chan struct{})}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, unix.SIGIO) // for good: one that comes late would end this process
	for _, dir := range dirs {
		if err := w.add(dir); err != nil {
			w.close()
			return nil, err
		}
	}
	go func() {
		for {
			select {
			case <-signals:
				w.tell()
			case <-w.done:
				return
			}
		}
	}()
	return w, nil
}

func (w *watch) add(dir string) error {
	const created, again = 0x4, 0x80000000 // DN_CREATE, which is also what a rename brings, and DN_MULTISHOT (fcntl(2))
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &fs.PathError{Op: "open", Path: dir, Err: err}
	}
	w.dirs = append(w.dirs, os.NewFile(uintptr(fd), dir))
	_, err = unix.FcntlInt(uintptr(fd), unix.F_NOTIFY, created|again)
	if errors.Is(err, unix.EINVAL) {
		err = errNoDnotify
	}
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	return nil
}

func (w *watch) tell() {
	select {
	case w.changes <- struct{}{}:
	default: // told already
	}
}

// stop ends it.
func (w *watch) stop() {
	close(w.done)
	w.close()
}

func (w *watch) close() {
	for _, dir := range w.dirs {
		_ = dir.Close() // nothing was written
	}
}
