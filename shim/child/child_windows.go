package child

import (
	"errors"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"unicode/utf16"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Child is a program that runs in this process's place: with its console, its streams and the handles that its caller let it inherit.
type Child struct {
	process windows.Handle
	job     windows.Handle // ends with this process, and ends the child then; 0 where the system gives none
}

// Run runs the program at path and returns its exit status. Ctrl-C and Ctrl-Break reach the program by the console: this process waits.
func Run(path string, args, env []string) (int, error) {
	defer Wait()()
	c, err := Start(path, args, env)
	if err != nil {
		return 0, err
	}
	return c.End()
}

// Wait lets this process go on where a key or the end of its console ends programs, until done is called: its child has the same event.
func Wait() (done func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	return func() { signal.Stop(signals) }
}

// Start starts the program at path. It is in a job from its first instruction on.
func Start(path string, args, env []string) (Child, error) {
	line, program, err := commandLine(path, args, env)
	if err != nil {
		return Child{}, err
	}
	var info windows.ProcessInformation
	if err := create(program, line, env, &info); err != nil {
		return Child{}, &os.PathError{Op: "run", Path: path, Err: err}
	}
	defer windows.CloseHandle(info.Thread)
	c := Child{process: info.Process, job: newJob(info.Process)}
	if _, err := windows.ResumeThread(info.Thread); err != nil {
		_ = windows.TerminateProcess(info.Process, 1) // it has not run yet
		return Child{}, os.NewSyscallError("ResumeThread", err)
	}
	return c, nil
}

func create(program, line string, env []string, info *windows.ProcessInformation) error {
	name, err := windows.UTF16PtrFromString(program)
	if err != nil {
		return err
	}
	command, err := windows.UTF16PtrFromString(line)
	if err != nil {
		return err
	}
	block, err := environmentBlock(env)
	if err != nil {
		return err
	}
	var start windows.StartupInfo // the caller's: its window, and the descriptors of a C program
	if err := windows.GetStartupInfo(&start); err != nil {
		return err
	}
	start.Cb, start.Title, start.Flags = uint32(unsafe.Sizeof(start)), nil, start.Flags|windows.STARTF_USESTDHANDLES
	closeStreams := streams(&start)
	defer closeStreams()
	const flags = windows.CREATE_SUSPENDED | windows.CREATE_UNICODE_ENVIRONMENT
	return windows.CreateProcess(name, command, nil, nil, true, flags, &block[0], nil, &start, info)
}

// streams sets the standard streams, as handles that a child inherits. One that is missing stays so.
func streams(start *windows.StartupInfo) (closeAll func()) {
	var made []windows.Handle
	self := windows.CurrentProcess()
	for _, s := range []struct {
		which uint32
		to    *windows.Handle
	}{{windows.STD_INPUT_HANDLE, &start.StdInput}, {windows.STD_OUTPUT_HANDLE, &start.StdOutput}, {windows.STD_ERROR_HANDLE, &start.StdErr}} {
		*s.to = 0
		h, err := windows.GetStdHandle(s.which)
		if err != nil || h == 0 || h == windows.InvalidHandle {
			continue
		}
		if windows.DuplicateHandle(self, h, self, s.to, 0, true, windows.DUPLICATE_SAME_ACCESS) == nil {
			made = append(made, *s.to)
		}
	}
	return func() {
		for _, h := range made {
			_ = windows.CloseHandle(h) // the child has its own
		}
	}
}

// environmentBlock returns env as CreateProcess needs it: sorted by name without regard to capitals, each entry ended by a zero, and one more.
func environmentBlock(env []string) ([]uint16, error) {
	sorted := slices.Clone(env)
	slices.SortStableFunc(sorted, func(a, b string) int { return strings.Compare(sortName(a), sortName(b)) })
	var block []uint16
	for _, entry := range sorted {
		if strings.ContainsRune(entry, 0) {
			return nil, errors.New("a variable of the environment holds a NUL")
		}
		block = append(append(block, utf16.Encode([]rune(entry))...), 0)
	}
	if len(block) == 0 {
		block = append(block, 0)
	}
	return append(block, 0), nil
}

// sortName returns the name in upper case; that of a drive's working directory begins with "=".
func sortName(entry string) string {
	if i := strings.IndexByte(entry[min(1, len(entry)):], '='); i >= 0 {
		entry = entry[:i+1]
	}
	return strings.ToUpper(entry)
}

// newJob puts the process into a job that ends it when this process ends, however that happens. It returns 0 where the system refuses that.
func newJob(process windows.Handle) windows.Handle {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0
	}
	if limit(job, windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE) != nil || windows.AssignProcessToJobObject(job, process) != nil {
		_ = windows.CloseHandle(job) // nothing is in it
		return 0
	}
	return job
}

func limit(job windows.Handle, flags uint32) error {
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = flags
	_, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	return err
}

// End waits until the child has ended, and returns its exit status. What it left running, as a browser, goes on.
func (c Child) End() (int, error) {
	defer windows.CloseHandle(c.process)
	if _, err := windows.WaitForSingleObject(c.process, windows.INFINITE); err != nil {
		return 0, os.NewSyscallError("WaitForSingleObject", err)
	}
	if c.job != 0 {
		_ = limit(c.job, 0) // of a job that is empty nothing is lost
		_ = windows.CloseHandle(c.job)
	}
	var status uint32
	if err := windows.GetExitCodeProcess(c.process, &status); err != nil {
		return 0, os.NewSyscallError("GetExitCodeProcess", err)
	}
	return int(status), nil
}
