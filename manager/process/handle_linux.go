package process

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// ProcessHandle is a pidfd (pidfd_open(2), Linux 5.3): it means the one process for as long as it is open. It is -1 where the kernel,
// or a container's filter, does not have that; then the start time is compared before each signal.
type ProcessHandle struct{ fd int }

// OpenProcess fails with ESRCH if there is no such process.
func OpenProcess(pid int) (ProcessHandle, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		return ProcessHandle{-1}, nil
	}
	return ProcessHandle{fd}, os.NewSyscallError("pidfd_open", err)
}

func (h ProcessHandle) Close() {
	if h.fd >= 0 {
		unix.Close(h.fd)
	}
}

// groupFlag is PIDFD_SIGNAL_PROCESS_GROUP, since Linux 6.9.
const groupFlag = 1 << 2

// Signal signals the process; an updater's whole group, for it runs an installer. It fails with ESRCH or fs.ErrNotExist if the
// process is gone.
func (h ProcessHandle) Signal(p Process, s unix.Signal) error {
	if h.fd < 0 {
		return p.kill(s)
	}
	if p.IsUpdater() {
		err := unix.PidfdSendSignal(h.fd, s, nil, groupFlag)
		if !errors.Is(err, unix.EINVAL) {
			return os.NewSyscallError("pidfd_send_signal", err)
		}
	}
	return os.NewSyscallError("pidfd_send_signal", unix.PidfdSendSignal(h.fd, s, nil, 0))
}

func (p Process) kill(s unix.Signal) error {
	if _, err := p.Again(); err != nil {
		return err
	}
	return os.NewSyscallError("kill", unix.Kill(p.PID, s))
}

// Wait waits for the end of the process, of d or of ctx, and says whether the process is gone. The error is ctx's.
func (h ProcessHandle) Wait(ctx context.Context, p Process, d time.Duration) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	if h.fd < 0 {
		return p.watch(limited), ctx.Err()
	}
	gone, err := pollUntil(limited, h.fd)
	return gone, errors.Join(err, ctx.Err())
}

// pollUntil waits until fd is readable, and says so, or until the end of ctx. A pidfd is readable when its process has ended.
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

// watch looks again and again where there is no event to wait for.
func (p Process) watch(ctx context.Context) bool {
	for {
		if _, err := p.Again(); errors.Is(err, fs.ErrNotExist) {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// PeerPID returns the process at the other end of a connected Unix socket: the one that listened, not one it passed it to.
func PeerPID(fd int) (int, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, os.NewSyscallError("getsockopt SO_PEERCRED", err)
	}
	return int(cred.Pid), nil
}
