package process

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Handle is a process to signal and to wait for. It holds a pidfd (pidfd_open(2), Linux 5.3), which means this one process for as long
// as it is open, or -1 where the kernel or a container's filter does not allow that; then the start time is compared before each signal.
type Handle struct {
	Process
	pidfd int
}

// Open returns a handle for p as it is now. It fails with os.ErrProcessDone if p has ended, even when its pid was reused.
func (p Process) Open() (Handle, error) {
	fd, err := unix.PidfdOpen(p.PID, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		fd, err = -1, nil
	}
	if err != nil {
		return Handle{}, doneOr("pidfd_open", err)
	}
	h := Handle{p, fd}
	if h.Process, err = p.reread(); err != nil { // the pid may have been another's already
		h.Close()
		return Handle{}, err
	}
	return h, nil
}

// Close releases the pidfd.
func (h Handle) Close() {
	if h.pidfd >= 0 {
		unix.Close(h.pidfd)
	}
}

// groupFlag is PIDFD_SIGNAL_PROCESS_GROUP, since Linux 6.9.
const groupFlag = 1 << 2

// Signal signals the process; of an account's updater, which leads its group, the whole group, because it may run an installer. It
// fails with os.ErrProcessDone if the process has ended.
func (h Handle) Signal(s unix.Signal) error {
	if h.pidfd < 0 {
		return h.kill(s)
	}
	if h.IsServer() && h.IsUpdater() {
		err := unix.PidfdSendSignal(h.pidfd, s, nil, groupFlag)
		if !errors.Is(err, unix.EINVAL) {
			return doneOr("pidfd_send_signal", err)
		}
	}
	return doneOr("pidfd_send_signal", unix.PidfdSendSignal(h.pidfd, s, nil, 0))
}

// Wait reports whether the process ended within d. The error is ctx's, if that ended first.
func (h Handle) Wait(ctx context.Context, d time.Duration) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	if h.pidfd < 0 {
		return h.watch(limited), ctx.Err()
	}
	ended, err := pollUntil(limited, h.pidfd)
	return ended, errors.Join(err, ctx.Err())
}

// pollUntil reports whether fd became readable before ctx ended. A pidfd is readable when its process has ended.
func pollUntil(ctx context.Context, fd int) (bool, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return false, err
	}
	defer r.Close()
	defer w.Close()
	defer context.AfterFunc(ctx, func() { w.Close() })()
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: int32(r.Fd()), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(fds, -1)
		if !errors.Is(err, unix.EINTR) {
			return fds[0].Revents != 0, os.NewSyscallError("poll", err)
		}
	}
}
