package shim

import (
	"fmt"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"

	"swop/config"
	"swop/session/supervise"
)

// setHome is how a shell names a home.
const setHome = `set "USERPROFILE=C:\path\to\your\home"`

// Exec runs the program at path as a child of this process, and ends as it ends: Windows has no exec. It returns only if the program could not
// be started.
func Exec(path string, args []string, env config.Env) error {
	status, err := supervise.Run(func() (supervise.Child, error) { return supervise.Start(path, args, env) }, func() {})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	windows.ExitProcess(uint32(status))
	return nil
}

// isFrom reports whether the process with this pid started what runs now: the shim, or the codex-swop that goes on with its call.
func (c *Call) isFrom(pid int) bool {
	parent := os.Getppid()
	return pid == parent || c.Handover != "" && pid == parentOf(parent)
}

// parentOf returns the pid of the process that started the one with this pid, 0 where it is not known.
func parentOf(pid int) int {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return 0
	}
	defer windows.CloseHandle(h)
	var info windows.PROCESS_BASIC_INFORMATION
	if windows.NtQueryInformationProcess(h, windows.ProcessBasicInformation, unsafe.Pointer(&info), uint32(unsafe.Sizeof(info)), nil) != nil {
		return 0
	}
	return int(info.InheritedFromUniqueProcessId)
}

func getwd() (string, error) {
	dir, err := os.Getwd()
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		return resolved, nil
	}
	return dir, err
}

// raiseFileLimit does nothing: Windows has no such limit. Nor does showTitle: codex sets the title of its console itself.
func raiseFileLimit()        {}
func (*Decision) showTitle() {}
