package confine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/confine/mountns"
	"swop/confine/peer"
	"swop/confine/preflight"
	"swop/say"
	"swop/session/supervise"
)

// Start starts the program at path inside. All of the session dies with this process.
func (j *Jail) Start(path string, args, env []string) (c supervise.Child, err error) {
	helper := helperArgs(j.proxy != nil, j.scene.Dir, path, args)
	signal.Ignore(supervise.Signals...) // keys of the terminal end none of the processes between
	if j.next == nil {                  // the one that was begun has failed
		if err := j.begin(); err != nil {
			return c, err
		}
	}
	l := j.next
	j.next = nil
	if err = <-l.forked; err == nil {
		err = j.launch(l, helper, env)
	}
	if err == nil {
		err = j.started(l, path)
	}
	if err != nil {
		_ = errors.Join(l.ours.Close(), j.live.control.Close()) // whatever has begun ends
	}
	l.close(mountns.Messages)
	return l.child(), err
}

// launch is one try of a start.
type launch struct {
	files  [mountns.Descriptors]*os.File // that the processes get, by their numbers there
	ours   *os.File                      // the socket to the helper
	forked chan error                    // brings how it went
	first  supervise.Child
}

// begin starts the first process, in our process group. It needs its time, and then a plan: that is made meanwhile.
func (j *Jail) begin() (err error) {
	l := &launch{forked: make(chan error, 1)}
	if l.files[mountns.ControlSocket], err = j.live.open(j.noticed); err != nil {
		return err
	}
	messages, err := unix.MemfdCreate("messages", unix.MFD_CLOEXEC)
	if err != nil {
		return os.NewSyscallError("memfd_create", err)
	}
	l.files[mountns.Messages] = os.NewFile(uintptr(messages), "messages")
	if l.ours, l.files[mountns.Status], err = socketPair(); err != nil {
		return err
	}
	if err := unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil { // the caller's
		return os.NewSyscallError("close_range", err)
	}
	j.next = l
	go l.fork(j.request.Helper, j.request.Env)
	return nil
}

// fork starts the first process, and keeps the thread that it dies with.
func (l *launch) fork(program string, env []string) {
	runtime.LockOSThread()
	attr := &syscall.ProcAttr{Env: env, Files: []uintptr{0, 1}, Sys: mountns.Namespaces()}
	for fd, file := range l.files {
		switch {
		case file != nil:
			attr.Files = append(attr.Files, file.Fd())
		case fd == mountns.Stderr:
			attr.Files = append(attr.Files, 2)
		}
	}
	err := mountns.Start(func() error {
		pid, err := syscall.ForkExec(program, []string{mountns.Name}, attr)
		l.first = supervise.ChildOf(pid)
		return err
	})
	l.close(mountns.Status)
	if err != nil {
		err = preflight.NotMade("%v", &os.PathError{Op: "run", Path: program, Err: err})
	}
	l.forked <- err
	select {}
}

// plan says what the session sees. A home that is composed is shown later: see [Scene.home].
func (j *Jail) plan(helper, env []string) (p mountns.Plan, home mountns.Order, err error) {
	mounts, watch, err := j.scene.mounts()
	if err != nil {
		return p, home, err
	}
	j.scene.made = mounts
	if list := j.scene.omitted; len(list) > 0 {
		j.request.Tell(fmt.Sprintf("the session sees %d entries of your home at most: it does not see %s and %d more", mostMounts, say.Name(list[0]), len(list)-1))
	}
	args := slices.Concat([]string{"bwrap"}, j.scene.bwrapArgs(), []string{"--", HelperPath}, helper)
	p = mountns.Plan{Stage: j.scene.Runtime, Upper: j.dir, Program: j.bwrap, Args: args, Env: env}
	p.Mounts, home.Mounts = j.scene.home(mounts)
	for _, m := range watch {
		if len(home.Mounts) > 0 && config.Within(m.Target, j.scene.Home) {
			home.Watch = append(home.Watch, m)
		} else {
			p.Watch = append(p.Watch, m)
		}
	}
	return p, home, nil
}

// launch lets the processes show what the session sees, and start the helper.
func (j *Jail) launch(l *launch, helper, env []string) error {
	plan, home, err := j.plan(helper, env)
	if err == nil && (len(home.Mounts) == 0 || !config.Within(j.scene.SharedHome, j.scene.Home)) {
		err = j.filled() // the plan shows it
	}
	if err != nil {
		return err
	}
	if err := j.live.ask(plan); err != nil {
		_, _ = l.first.End() // it has ended, or is about to
		return preflight.NotMade("%v", err)
	}
	if err := j.request.Ready(); err != nil {
		return err
	}
	if err := j.live.tell(mountns.Order{}); err != nil {
		return err
	}
	if err := j.filled(); err != nil {
		return err
	}
	if len(home.Mounts) > 0 {
		if err := j.live.tell(home); err != nil {
			return err
		}
	}
	return j.noteRoots()
}

// close closes our copies of what the processes get, from this number on.
func (l *launch) close(from int) {
	for _, file := range l.files[from:] {
		_ = file.Close() // nothing is written through them; one may be closed, or missing
	}
}

// socketPair returns a pair of sockets: ours, where closing ends a wait, and one for another process.
func socketPair() (ours, theirs *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(pair[0], true)
	}
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs"), nil
}

// peers are what the session's programs connect to outside: what the policy names, and the sockets of swop's own.
func (j *Jail) peers() peer.Options {
	allowed := slices.Clone(j.scene.Policy.Sockets)
	for _, dir := range append(slices.Clone(j.request.Visible), j.scene.Runtime) {
		entries, _ := os.ReadDir(dir) // what is no directory has none
		for _, entry := range entries {
			allowed = append(allowed, filepath.Join(dir, entry.Name()))
		}
	}
	return peer.Options{Allowed: allowed, Refused: func(name string) {
		j.diary.note(Blocked, "connect to the socket "+say.OneLine(name), "no program inside listens on it, and sockets in config.toml does not name it")
	}}
}

// started waits until the helper says that it is sealed, shows the home, serves the helper, and waits until it says that the program at path runs, or why
// not, as an errno.
func (j *Jail) started(l *launch, path string) error {
	calls, err := peer.Receive(l.ours)
	if err != nil {
		return l.notStarted(err)
	}
	if err := j.live.ask(mountns.Order{}); err != nil {
		return preflight.NotMade("%v", err)
	}
	if j.live.lacksOverlay {
		if err := j.copyRecent(); err != nil {
			return err
		}
	}
	go func() { _ = peer.Serve(calls, j.peers()) }() // if it fails, the calls do
	if _, err := l.ours.Write([]byte{0}); err != nil {
		return l.notStarted(err)
	}
	var errno uint32
	if err := binary.Read(l.ours, binary.NativeEndian, &errno); err != nil {
		return l.notStarted(err)
	}
	if errno == 0 {
		return nil
	}
	_, _ = l.first.End() // the helper has ended
	return &os.PathError{Op: "run", Path: path, Err: syscall.Errno(errno)}
}

// notStarted says how bubblewrap ended without having started the helper.
func (l *launch) notStarted(err error) error {
	status, failed := l.first.End()
	end := fmt.Sprintf("it ended with status %d", status.ExitStatus())
	switch {
	case failed != nil || !errors.Is(err, io.EOF):
		return errors.Join(err, failed)
	case status.Signaled():
		end = fmt.Sprintf("it was ended by %v", status.Signal())
	}
	const most = 1 << 12
	text, err := io.ReadAll(io.NewSectionReader(l.files[mountns.Messages], 0, most))
	line, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(string(text)), "bwrap: "), "\n")
	if err != nil || line == "" {
		line = end
	}
	return preflight.NotMade("%s", line)
}

// child returns the program inside. The helper reports each change of it, as wait(2) has it, and sends it the signals that are written to it.
func (l *launch) child() supervise.Child {
	return supervise.Child{
		Signal: func(sig syscall.Signal) error { return binary.Write(l.ours, binary.NativeEndian, uint32(sig)) },
		Wait: func() (status syscall.WaitStatus, err error) {
			err = binary.Read(l.ours, binary.NativeEndian, &status)
			if err != nil || !status.Stopped() {
				_, _ = l.first.End() // now all inside is dead
			}
			return status, err
		},
	}
}
