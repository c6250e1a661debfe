package mountns

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/confine/repository"
	"swop/disk"
)

// A mount on a directory of the host goes with that when a program outside moves or removes it: then the session could write what takes the name.
// So the directories above are watched, by dnotify (see package sharedlogin for why), and the new one is mounted at once.

// Notice says what happened at a path that is watched.
type Notice struct {
	Path  string
	Aside string    // how it is called now, since nothing may be there; "" where it is shown as the old one was
	Error string    // why it could not be renamed
	Since time.Time // when the old one was last seen there
}

// pin is a mount that is watched.
type pin struct {
	Mount
	order string    // that it belongs to, "" for the plan
	fd    int       // what is mounted, -1 for nothing
	link  string    // the text of the link that was there at first, "" for none
	empty bool      // what is there was put there in the place of something else
	told  bool      // it could not be put aside
	seen  time.Time // when that was there
}

// watch keeps mounts in their place.
type watch struct {
	tree    *tree
	pins    []*pin
	shown   func(path, order string) bool // another order shows something at the path
	dirs    map[string]int                // descriptors of the directories that are watched
	notice  func(Notice)
	signals chan os.Signal
}

// add watches mounts that were made. One that could not be is watched as well.
func (w *watch) add(order string, mounts []Mount) error {
	for _, m := range mounts {
		p := &pin{Mount: m, order: order, fd: -1, seen: fileClock()}
		if m.Kind == Absent {
			p.link = w.linkAt(m.Target)
		} else if fd, err := openIn(w.tree.root, m.Target); err == nil {
			p.fd = fd
			if !isMounted(fd) {
				p.close()
			}
		}
		w.pins = append(w.pins, p)
	}
	return w.watchDirs()
}

// drop forgets the mounts of an order.
func (w *watch) drop(order string) {
	w.pins = slices.DeleteFunc(w.pins, func(p *pin) bool {
		if p.order == order {
			p.close()
		}
		return p.order == order
	})
}

func (p *pin) close() {
	if p.fd >= 0 {
		_ = unix.Close(p.fd) // nothing was written
		p.fd = -1
	}
}

// watchDirs lets the kernel send SIGIO for what appears, goes or is renamed beside a pin. A directory that is another one by now is watched again.
func (w *watch) watchDirs() error {
	const changes = 0x4 | 0x8 | 0x10 | 0x80000000 // DN_CREATE, DN_DELETE, DN_RENAME and DN_MULTISHOT (fcntl(2))
	for _, p := range w.pins {
		dir := filepath.Dir(p.Target)
		if old, ok := w.dirs[dir]; ok {
			if w.isAt(old, dir) {
				continue
			}
			_ = unix.Close(old) // nothing was written
			delete(w.dirs, dir)
		}
		fd, err := openAs(w.tree.host, dir, unix.O_RDONLY|unix.O_DIRECTORY)
		if errors.Is(err, fs.ErrNotExist) {
			continue // one above it is watched
		}
		if err == nil {
			_, err = unix.FcntlInt(uintptr(fd), unix.F_NOTIFY, changes)
			w.dirs[dir] = fd
		}
		if err != nil {
			return fmt.Errorf("cannot see when %s is replaced: %w", dir, err)
		}
	}
	return nil
}

// isAt reports whether the host has what is open at path.
func (w *watch) isAt(fd int, path string) bool {
	var is, was unix.Stat_t
	now, err := openIn(w.tree.host, path)
	if err != nil {
		return false
	}
	defer unix.Close(now)
	return unix.Fstat(now, &is) == nil && unix.Fstat(fd, &was) == nil && is.Dev == was.Dev && is.Ino == was.Ino
}

// run looks after the pins when something has changed beside them.
func (w *watch) run(locked func(func())) {
	for range w.signals {
		locked(w.check)
	}
}

// check mounts again what is not there any more.
func (w *watch) check() {
	for _, p := range w.pins {
		if w.shown(p.Target, p.order) {
			continue
		}
		here, err := mountAt(w.tree.root, p.Target)
		switch {
		case err != nil:
			p.empty = false // gone, and not replaced yet
		case p.fd >= 0 && here == mountOf(p.fd), p.Kind == Absent && w.leads(p):
			p.seen = fileClock()
		case p.Final && !p.empty: // else two sessions put aside each other's without end
			w.putAside(p)
		default:
			w.renew(p)
		}
	}
	_ = w.watchDirs() // it worked before; what cannot be opened is gone
}

// linkAt returns the text of the host's link at path, "" if there is none.
func (w *watch) linkAt(path string) string {
	dir, err := openIn(w.tree.host, filepath.Dir(path))
	if err != nil {
		return ""
	}
	defer unix.Close(dir)
	text := make([]byte, unix.PathMax)
	n, _ := unix.Readlinkat(dir, filepath.Base(path), text) // -1 for what is none
	return string(text[:max(n, 0)])
}

// leads reports whether a pin is the link that was there at first, and leads where it did, or nowhere: one in its way may be another one.
func (w *watch) leads(p *pin) bool {
	if p.Source == "" || p.link == "" || w.linkAt(p.Target) != p.link {
		return false
	}
	to, err := unix.Openat2(w.tree.host, filepath.Join(".", p.Target), &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT})
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer unix.Close(to)
	return w.isAt(to, p.Source)
}

// renew mounts what the host has now. What is a link cannot be mounted on.
func (w *watch) renew(p *pin) {
	p.close()
	target, err := openIn(w.tree.root, p.Target)
	if err == nil {
		var st unix.Stat_t
		if p.Kind == Composed && unix.Fstat(target, &st) == nil && st.Mode&unix.S_IFMT != unix.S_IFDIR {
			p.Mount = Mount{Kind: Readonly, Source: os.DevNull, Target: p.Target} // which is no device there: opening it is refused
		}
		p.fd, err = w.tree.put(p.Mount, onto(target))
		_ = unix.Close(target) // nothing was written
	}
	if err == nil && p.Kind == Composed {
		err = setMount(p.fd, unix.AT_EMPTY_PATH, unix.MOUNT_ATTR_RDONLY)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		w.putAside(p)
	default:
		w.notice(Notice{Path: p.Target, Since: p.seen})
		p.seen = fileClock()
	}
}

// putAside renames what may not be there, and mounts an empty directory in its place: there cannot be another one then.
func (w *watch) putAside(p *pin) {
	dir, err := openIn(w.tree.host, filepath.Dir(p.Target))
	if err != nil {
		return
	}
	defer unix.Close(dir)
	name, most := filepath.Base(p.Target), 1000
	for range most {
		aside, err := repository.RenameAside(dir, name)
		if err != nil {
			if !p.told {
				w.notice(Notice{Path: p.Target, Error: err.Error()})
			}
			p.told = true
			return
		}
		made := unix.Mkdirat(dir, name, 0o755)
		if aside != "" { // after that: whoever hears of it may make another one
			w.notice(Notice{Path: p.Target, Aside: aside, Since: p.seen})
		}
		if made != nil {
			continue // there is another one
		}
		if target, err := openIn(w.tree.root, p.Target); err == nil {
			p.close()
			p.Mount, p.empty = Mount{Kind: Readonly, Source: p.Target, Target: p.Target, Final: p.Final}, true
			p.fd, _ = w.tree.put(p.Mount, onto(target)) // -1 if it is another one already: the next signal tells
			_ = unix.Close(target)                      // nothing was written
		}
		return
	}
}

// mountAt returns the number of the mount that a path is part of, links not followed.
func mountAt(top int, path string) (uint64, error) {
	fd, err := openAs(top, path, unix.O_PATH|unix.O_NOFOLLOW)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	return mountOf(fd), nil
}

// isMounted reports whether something is mounted on what is open.
func isMounted(fd int) bool {
	var st unix.Statx_t
	return unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &st) == nil && st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
}

func mountOf(fd int) uint64 {
	var st unix.Statx_t
	if unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &st) != nil {
		return 0
	}
	return st.Mnt_id
}

// newWatch lets SIGIO be a message, and not the end of this process.
func newWatch(t *tree, shown func(path, order string) bool, notice func(Notice)) *watch {
	w := &watch{tree: t, shown: shown, notice: notice, dirs: map[string]int{}, signals: make(chan os.Signal, 1)}
	signal.Notify(w.signals, unix.SIGIO)
	return w
}

// shows reports whether an order other than this one shows something at path.
func (m *middle) shows(path, order string) bool {
	for id, s := range m.shown {
		if id != order && config.Within(path, s.path) {
			return true
		}
	}
	return false
}

// fileClock returns the time by the clock of which the kernel stamps files.
func fileClock() time.Time {
	now, _ := disk.FileClock() // every kernel has it
	return time.Unix(now.Unix())
}
