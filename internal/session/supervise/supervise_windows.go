// Package supervise runs a program as a child, as if it had been exec'd in this process's place. It knows nothing of accounts.
package supervise

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"

	"swop/config"
)

// Child is a program that runs in this process's place: with its console and its standard streams.
type Child struct {
	process windows.Handle
	job     windows.Handle // of this process: ends with it, and ends the child then; 0 where the system gives none
}

// Run runs the child that start starts, and calls end after its end. It returns the exit status; the error is start's. Ctrl-C, Ctrl-Break
// and the end of the console reach the child by the console: this process waits for it.
func Run(start func() (Child, error), end func()) (int, error) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	c, err := start()
	if err != nil {
		return 0, err
	}
	defer end()
	defer windows.CloseHandle(c.process)
	if _, err := windows.WaitForSingleObject(c.process, windows.INFINITE); err != nil {
		return 0, os.NewSyscallError("WaitForSingleObject", err)
	}
	c.leaveJob()
	var status uint32
	err = windows.GetExitCodeProcess(c.process, &status)
	return int(status), os.NewSyscallError("GetExitCodeProcess", err)
}

// AsEnded returns the status with which this process is to exit where a child ended with this one.
func AsEnded(status int) int { return status }

// Start starts the program at path. It is in a job from its first instruction on, since this process is. Package syscall sorts env, as
// Windows keeps an environment.
func Start(path string, args, env []string) (Child, error) {
	var line string // "" for the one that package syscall makes
	if ending := strings.ToLower(filepath.Ext(path)); ending == ".cmd" || ending == ".bat" {
		cmd := filepath.Join(config.Env(env).Value("SystemRoot"), "System32", "cmd.exe")
		var err error
		if line, err = batchLine(cmd, path, args[1:]); err != nil {
			return Child{}, err
		}
		path = cmd
	}
	c := Child{job: enterJob()}
	streams := []uintptr{uintptr(syscall.Stdin), uintptr(syscall.Stdout), uintptr(syscall.Stderr)}
	attr := syscall.ProcAttr{Env: env, Files: streams, Sys: &syscall.SysProcAttr{CmdLine: line}}
	_, process, err := syscall.StartProcess(path, args, &attr)
	if err != nil {
		c.leaveJob()
		return Child{}, &os.PathError{Op: "run", Path: path, Err: err}
	}
	c.process = windows.Handle(process)
	return c, nil
}

// enterJob puts this process, and what it will start, into a job that ends them all when this process ends, however that happens. It
// returns 0 where the system refuses that.
func enterJob() windows.Handle {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0
	}
	err = windows.AssignProcessToJobObject(job, windows.CurrentProcess())
	if errors.Join(err, limit(job, windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE)) != nil {
		_ = windows.CloseHandle(job) // it has no limit
		return 0
	}
	return job
}

// leaveJob lets everything in the job go on, a browser that a login opened among it.
func (c Child) leaveJob() {
	if c.job != 0 && limit(c.job, 0) == nil {
		_ = windows.CloseHandle(c.job) // else it ends with this process
	}
}

func limit(job windows.Handle, flags uint32) error {
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = flags
	const class = windows.JobObjectExtendedLimitInformation
	_, err := windows.SetInformationJobObject(job, class, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	return err
}
