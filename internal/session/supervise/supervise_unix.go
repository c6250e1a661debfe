//go:build unix

// Package supervise runs a program as a child, as if it had been exec'd in this process's place: by signals, by the terminal and by how it
// ends nobody can tell the difference. It knows nothing of accounts.
package supervise

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"swop/internal/disk"
)

// Child is a program that runs under this process, directly or through others.
type Child struct {
	// Signal sends it a signal. It may have ended.
	Signal func(syscall.Signal) error
	// Wait returns its next change: that it stopped, or ended. One that cannot be waited for counts as killed. It is not called again after
	// the end.
	Wait func() syscall.WaitStatus
}

// Killed is the status of a child that SIGKILL has ended.
const Killed = syscall.WaitStatus(syscall.SIGKILL)

// Start starts the program at path as a child in this process's group, with its streams and the descriptors that exec would leave open.
// Where the system can do that, the child is killed when the thread that calls this ends: lock the goroutine to it.
func Start(path string, args []string, env []string) (Child, error) {
	return StartWith(path, args, env, [3]uintptr{0, 1, 2})
}

// StartWith is [Start] with other streams.
func StartWith(path string, args []string, env []string, streams [3]uintptr) (Child, error) {
	pid, err := syscall.ForkExec(path, args, &syscall.ProcAttr{Env: env, Files: streams[:], Sys: dyingWithParent()})
	if err != nil {
		return Child{}, &os.PathError{Op: "run", Path: path, Err: err}
	}
	return ChildOf(pid), nil
}

// ChildOf returns the child of this process that has the pid.
func ChildOf(pid int) Child {
	return Child{
		Signal: func(sig syscall.Signal) error { return syscall.Kill(pid, sig) },
		Wait: func() (status syscall.WaitStatus) {
			_, err := disk.RetryEINTR(func() (int, error) { return syscall.Wait4(pid, &status, syscall.WUNTRACED, nil) })
			if err != nil {
				return Killed
			}
			return status
		},
	}
}

// End waits until the child has ended.
func (c Child) End() {
	for c.Wait().Stopped() {
	}
}

// Signals are those that a caller sends to the process that it started, and means for the child.
var Signals = []os.Signal{
	syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGCONT,
	syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU,
}

// Run runs the child that start starts, and calls end after its end: signals reach the child, and this process stops and goes on with it.
// It returns the exit status, or the negative number of the signal that ended the child, for [AsEnded]. The error is start's.
//
// The child is in the same process group and session, so keys, window sizes and job control work by themselves.
func Run(start func() (Child, error), end func()) (int, error) {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, unlessIgnored()...)
	defer signal.Stop(signals)
	started, changes := make(chan error), make(chan syscall.WaitStatus)
	var child Child
	go func() {
		runtime.LockOSThread() // for as long as the child runs: see Start
		var err error
		child, err = start()
		started <- err
		for running := err == nil; running; {
			status := child.Wait()
			running = status.Stopped()
			changes <- status
		}
	}()
	if err := <-started; err != nil {
		return 0, err
	}
	signal.Ignore(syscall.SIGTTIN, syscall.SIGTTOU) // also for the witnesses: the child stops by what the terminal sends to the group
	defer signal.Reset(syscall.SIGTTIN, syscall.SIGTTOU)
	status := child.follow(signals, changes)
	end()
	if status.Signaled() {
		return -int(status.Signal()), nil
	}
	return status.ExitStatus(), nil
}

// follow passes signals on, and stops with the child, until that has ended.
func (c Child) follow(signals <-chan os.Signal, changes <-chan syscall.WaitStatus) syscall.WaitStatus {
	w := newWitness()
	defer func() { w.end() }()
	for {
		select {
		case s := <-signals:
			sig, ok := s.(syscall.Signal)
			key := fromTerminal(sig)
			if key && sig == syscall.SIGINT {
				next := newWitness() // the system starts no process before the signal has reached the whole group
				key = w.end() == syscall.SIGINT
				w = next
			}
			if ok && !key {
				_ = c.Signal(sig) // it may have ended
			}
		case status := <-changes:
			if !status.Stopped() {
				return status
			}
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) // SIGCONT, which ends that, is passed on
		}
	}
}

// fromTerminal reports whether the signal may be one that the terminal sent to the whole group, for a key: the child has it already.
func fromTerminal(sig syscall.Signal) bool {
	if sig != syscall.SIGINT && sig != syscall.SIGQUIT && sig != syscall.SIGTSTP {
		return false
	}
	fd, err := unix.Open("/dev/tty", unix.O_RDONLY|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	if err != nil || group != unix.Getpgrp() {
		return false
	}
	mode, err := unix.IoctlGetTermios(fd, termiosOf)
	return err == nil && mode.Lflag&unix.ISIG != 0 // a full-screen program reads keys as bytes
}

// A witness is a process of this group that does nothing, on a terminal: a key sends SIGINT to both, another process to this one alone. The
// other signals of keys are rarely sent otherwise, and one leaves a core file.
type witness struct {
	*exec.Cmd
	stdin io.WriteCloser // at its end cat ends, also with this process
}

func newWitness() witness {
	tty, err := os.OpenFile("/dev/tty", os.O_RDONLY|unix.O_NOCTTY, 0)
	if err != nil {
		return witness{}
	}
	defer tty.Close()
	w := witness{Cmd: exec.Command("/bin/sh", "-c", "trap '' QUIT TSTP; exec cat")}
	w.Env = []string{"PATH=/usr/bin:/bin"} // a session may have put a cat on the user's
	w.stdin, err = w.StdinPipe()
	stdout, err2 := w.StdoutPipe()
	if err = errors.Join(err, err2); err == nil {
		err = w.Start()
	}
	if err != nil {
		return witness{} // each signal is passed on
	}
	_, _ = w.stdin.Write([]byte{0})
	_, _ = stdout.Read([]byte{0}) // from now on it is cat: a shell may lose a signal when it becomes that
	return w
}

// end lets the witness end, and returns the signal that ended it: SIGINT where that had been sent to it before.
func (w witness) end() syscall.Signal {
	if w.Cmd == nil {
		return 0
	}
	_ = w.stdin.Close()
	_ = w.Process.Signal(syscall.SIGCONT)
	_ = w.Wait() // the state says it
	status, _ := w.ProcessState.Sys().(syscall.WaitStatus)
	return status.Signal()
}

// AsEnded returns the status with which this process is to exit where a child ended with this one: see [Run]. If a signal ended the child
// it ends this process too. Go itself would handle that: a shell in its place dies by it, without a core file of its own.
func AsEnded(status int) int {
	if status >= 0 {
		return status
	}
	script := fmt.Sprintf("ulimit -c 0; kill -%d $$; exit %d", -status, 128-status)
	_ = syscall.Exec("/bin/sh", []string{"sh", "-c", script}, nil)
	return 128 - status
}

// Survive keeps this process from ending or stopping by the signals of a job, which the programs that it starts get as well: they do as the
// caller has it.
func Survive() { signal.Notify(make(chan os.Signal, 1), unlessIgnored()...) }

// unlessIgnored returns those of Signals that this process's caller did not ignore, as nohup(1) does: the child ignores the others too.
func unlessIgnored() (list []os.Signal) {
	for _, s := range Signals {
		if !signal.Ignored(s) {
			list = append(list, s)
		}
	}
	return list
}
