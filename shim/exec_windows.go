package shim

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"

	"swop/config"
	"swop/say"
	"swop/shim/child"
)

// Exec runs the program at path as a child of this process, and ends as it ends: Windows has no exec. It returns only if the program could not
// be started.
func Exec(path string, args []string, env config.Env) error {
	status, err := child.Run(func() (child.Child, error) { return child.Start(path, args, env) }, func() {})
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
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return 0
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ProcessEntry32{}
	entry.Size = uint32(unsafe.Sizeof(entry))
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		if int(entry.ProcessID) == pid {
			return int(entry.ParentProcessID)
		}
	}
	return 0
}

func getwd() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		return resolved, nil
	}
	return dir, nil
}

// raiseFileLimit does nothing: Windows has no such limit.
func raiseFileLimit() {}

// showTitle does nothing: codex sets the title of its console itself.
func (*Decision) showTitle() {}

// Owned refuses to work without a home. Who may change it is in its ACL.
func (i *Invocation) Owned() error {
	info, err := os.Stat(i.Home)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: i.Home, Err: errors.New("is not a directory")}
	}
	if err == nil {
		return nil
	}
	return say.WithHint(fmt.Errorf("the home directory cannot be used: %w", err), `set "USERPROFILE=C:\path\to\your\home"`)
}
