package mountns

import (
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/session/supervise"
)

// middle is the state of the process.
type middle struct {
	tree
	mu    sync.Mutex
	stage int                // a directory of the host's: what is mounted there no session sees
	shown map[string]showing // by the order's id
	turn  int
	watch *watch

	control Control // to the supervisor
}

// showing is what an order showed.
type showing struct {
	fd    int
	path  string
	order Order
	turn  int // the later one is over the earlier one
}

// Run is the process called [Name]. It was started in namespaces of its own, with CAP_SYS_ADMIN there. It returns the exit status of the
// program of the plan. Keys of the terminal end neither of them.
func Run() int {
	signal.Ignore(supervise.Signals...)
	runtime.LockOSThread()                               // the program dies with this thread
	_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) // also for those threads of the program that run no other; it cannot fail
	unix.CloseOnExec(ControlSocket)
	m := middle{shown: map[string]showing{}, control: NewControl(os.NewFile(ControlSocket, "control"))}
	m.watch = newWatch(&m.tree, m.shows, func(n Notice) { _ = m.control.Encode(Answer{Notice: &n}) }) // without a supervisor all ends
	var p Plan
	var program supervise.Child
	err := m.control.Decode(&p)
	if err == nil {
		err = m.make(p)
	}
	if err == nil {
		program, err = p.start()
	}
	if sent := m.answer(err); err != nil || sent != nil {
		return 125
	}
	go m.serve()
	go m.watch.run(m.locked)
	status, err := program.End()
	m.locked(m.watch.check) // of what was done last, no signal may have come
	if err != nil || !status.Exited() {
		return 125 // the supervisor sees that the program is gone
	}
	return status.ExitStatus()
}

func (m *middle) make(p Plan) (err error) {
	m.upper = p.Upper
	if err := m.enter(p.Mounts[0]); err != nil {
		return err
	}
	if err := m.build(p.Mounts[1:], "", m.root); err != nil {
		return err
	}
	if m.stage, err = openIn(m.host, p.Stage); err != nil {
		return err
	}
	return m.watch.add("", p.Watch)
}

// locked calls f while nobody else changes what the session sees.
func (m *middle) locked(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
}

func procPath(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// serve carries out what the supervisor says until that is gone.
func (m *middle) serve() {
	for {
		var o Order
		if m.control.Decode(&o) != nil {
			return
		}
		var sent error
		m.locked(func() { sent = m.answer(m.carryOut(o)) })
		if sent != nil {
			return
		}
	}
}

func (m *middle) carryOut(o Order) error {
	defer m.watch.check() // what was shown may have been over a pin
	if len(o.Mounts) == 0 {
		return m.end(o.ID)
	}
	return m.show(o)
}

// show shows something of the host in the session.
func (m *middle) show(o Order) error {
	fd, err := m.ready(o)
	if err == nil {
		err = m.place(o, fd)
	}
	return err
}

// ready puts what an order shows together, where no session sees it: all is to appear there at once.
func (m *middle) ready(o Order) (fd int, err error) {
	if fd, err = m.put(o.Mounts[0], m.onStage); err != nil {
		return fd, err
	}
	if err = m.build(o.Mounts[1:], o.Mounts[0].Target, fd); err != nil {
		m.discard(fd)
	}
	return fd, err
}

// onStage mounts a directory where no session sees it. In a file there is nothing to put together.
func (m *middle) onStage(fd int) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return os.NewSyscallError("fstat", err)
	}
	return attach(fd, m.stage)
}

// discard forgets what no session sees yet.
func (m *middle) discard(fd int) {
	_ = unix.Unmount(procPath(fd), unix.MNT_DETACH) // it may be mounted nowhere yet
	_ = unix.Close(fd)                              // nothing was written
}

// place moves what is ready into the session.
func (m *middle) place(o Order, fd int) error {
	path := o.Mounts[0].Target
	target, err := openIn(m.root, path)
	if errors.Is(err, fs.ErrNotExist) {
		target, err = m.makeTarget(path, fd)
	}
	if err == nil {
		err = errors.Join(attach(fd, target), unix.Close(target))
	}
	if err != nil {
		m.discard(fd)
		return &fs.PathError{Op: "show", Path: path, Err: err}
	}
	m.turn++
	m.shown[o.ID] = showing{fd, path, o, m.turn}
	return m.watch.add(o.ID, o.Watch)
}

// makeTarget makes what the source can be mounted on in a composed directory of the session.
func (m *middle) makeTarget(path string, source int) (int, error) {
	var st unix.Stat_t
	if err := unix.Fstat(source, &st); err != nil {
		return -1, os.NewSyscallError("fstat", err)
	}
	for _, c := range slices.Backward(m.composed) { // the innermost is the last
		if !config.Within(path, c.path) {
			continue
		}
		if err := makeIn(c.writable, strings.TrimPrefix(path, c.path), st.Mode&unix.S_IFMT|0o700); err != nil {
			return -1, err
		}
		return openIn(m.root, path)
	}
	return -1, fs.ErrNotExist
}

// end takes what was shown out of the session. What is open there stays open, and a working directory there goes on: no attribute of a mount reaches
// the copies that the session has of it, and it can make others. What was shown over it later is taken out first, since the last mount at a place is the
// one that can be, and shown again.
func (m *middle) end(id string) error {
	ended, ok := m.shown[id]
	if !ok {
		return nil
	}
	over := []showing{ended}
	for _, s := range m.shown {
		if s.turn > ended.turn && config.Within(s.path, ended.path) {
			over = append(over, s)
		}
	}
	slices.SortFunc(over, func(a, b showing) int { return a.turn - b.turn })
	for _, s := range slices.Backward(over) {
		if err := m.takeOut(s); err != nil {
			return err
		}
	}
	var failed error
	for _, s := range over[1:] {
		failed = errors.Join(failed, m.show(s.order))
	}
	return failed
}

func (m *middle) takeOut(s showing) error {
	delete(m.shown, s.order.ID)
	m.watch.drop(s.order.ID)
	defer unix.Close(s.fd)
	return os.NewSyscallError("umount", unix.Unmount(procPath(s.fd), unix.MNT_DETACH))
}

// answer says how it went with the plan or an order.
func (m *middle) answer(err error) error {
	a := Answer{LacksOverlay: m.lacksOverlay}
	if err != nil {
		a.Error = err.Error()
	}
	return m.control.Encode(a)
}
