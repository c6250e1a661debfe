package process

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// ProcessHandle is a kqueue that reports the end of the process. Signals go by pid, after the start time was compared. Unproven: built,
// never run on a Mac.
type ProcessHandle struct{ queue int }

// OpenProcess fails with ESRCH if there is no such process.
func OpenProcess(pid int) (ProcessHandle, error) {
	queue, err := unix.Kqueue()
	if err != nil {
		return ProcessHandle{-1}, os.NewSyscallError("kqueue", err)
	}
	unix.CloseOnExec(queue)
	end := unix.Kevent_t{Ident: uint64(pid), Filter: unix.EVFILT_PROC, Flags: unix.EV_ADD, Fflags: unix.NOTE_EXIT}
	if _, err := unix.Kevent(queue, []unix.Kevent_t{end}, nil, nil); err != nil {
		unix.Close(queue)
		return ProcessHandle{-1}, os.NewSyscallError("kevent", err)
	}
	return ProcessHandle{queue}, nil
}

func (h ProcessHandle) Close() { unix.Close(h.queue) }

// Signal signals the process; an updater's whole group, for it runs an installer.
func (h ProcessHandle) Signal(p Process, s unix.Signal) error {
	if _, err := p.Again(); err != nil {
		return err
	}
	if p.IsUpdater() {
		return os.NewSyscallError("kill", unix.Kill(-p.PID, s))
	}
	return os.NewSyscallError("kill", unix.Kill(p.PID, s))
}

// Wait waits for the end of the process, of d or of ctx, and says whether the process is gone. The error is ctx's.
func (h ProcessHandle) Wait(ctx context.Context, _ Process, d time.Duration) (bool, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return false, err
	}
	defer r.Close()
	defer w.Close()
	defer context.AfterFunc(ctx, func() { w.Close() })()
	stop := unix.Kevent_t{Ident: uint64(r.Fd()), Filter: unix.EVFILT_READ, Flags: unix.EV_ADD | unix.EV_ONESHOT}
	limit := unix.NsecToTimespec(int64(d))
	events := make([]unix.Kevent_t, 2)
	n, err := unix.Kevent(h.queue, []unix.Kevent_t{stop}, events, &limit)
	for errors.Is(err, unix.EINTR) {
		n, err = unix.Kevent(h.queue, nil, events, &limit)
	}
	if err != nil {
		return false, os.NewSyscallError("kevent", err)
	}
	gone := slices.ContainsFunc(events[:n], func(e unix.Kevent_t) bool { return e.Filter == unix.EVFILT_PROC })
	return gone, ctx.Err()
}

// PeerPID returns the process at the other end of a connected Unix socket.
func PeerPID(fd int) (int, error) {
	pid, err := unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	return pid, os.NewSyscallError("getsockopt LOCAL_PEERPID", err)
}
