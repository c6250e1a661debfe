package confine

import (
	"errors"
	"io/fs"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// watch tells of what appears in some directories: by signals, since the end of an inotify instance waits for all processors, which takes longer
// than all else at the end of a session (13 ms). Kernels without such signals (dnotify) have inotify.
type watch struct {
	changes chan struct{} // something appeared since it was received from
	files   []*os.File
	done    chan struct{}
}

func watchDirs(dirs ...string) (*watch, error) {
	w := &watch{changes: make(chan struct{}, 1), done: make(chan struct{})}
	err := w.bySignals(dirs)
	if errors.Is(err, unix.EINVAL) {
		w.closeFiles()
		err = w.byInotify(dirs)
	}
	if err != nil {
		w.closeFiles()
		return nil, err
	}
	return w, nil
}

// bySignals lets the kernel send SIGIO for each file that appears.
func (w *watch) bySignals(dirs []string) error {
	const created, again = 0x4, 0x80000000 // DN_CREATE, which is also what a rename brings, and DN_MULTISHOT (fcntl(2))
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, unix.SIGIO) // for good: one that comes late would end this process
	for _, dir := range dirs {
		fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return &fs.PathError{Op: "open", Path: dir, Err: err}
		}
		w.files = append(w.files, os.NewFile(uintptr(fd), dir))
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_NOTIFY, created|again); err != nil {
			return &fs.PathError{Op: "watch", Path: dir, Err: err}
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
	return nil
}

func (w *watch) byInotify(dirs []string) error {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return os.NewSyscallError("inotify_init1", err)
	}
	file := os.NewFile(uintptr(fd), "inotify")
	w.files = append(w.files, file)
	for _, dir := range dirs {
		if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_MOVED_TO|unix.IN_CREATE); err != nil {
			return os.NewSyscallError("inotify_add_watch", err)
		}
	}
	go func() {
		events := make([]byte, 1<<12)
		for {
			if _, err := file.Read(events); err != nil {
				return
			}
			w.tell()
		}
	}()
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
	w.closeFiles()
}

func (w *watch) closeFiles() {
	for _, file := range w.files {
		_ = file.Close() // nothing was written
	}
	w.files = nil
}
