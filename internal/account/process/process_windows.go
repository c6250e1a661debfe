package process

import (
	"io/fs"
	"os"
	"os/exec"
)

// On Windows no process is listed, nor asked for its environment. An account is in use while its lock is held: codex-swop holds the lock of
// each session as long as codex runs, and codex ends with it, by a job.

// DescriptorsVisible: the files that a process has open cannot be listed.
const DescriptorsVisible = false

func readProcesses() ([]Process, error) { return nil, nil }

func (*Process) describe()                       {}
func (Process) Current() (Process, error)        { return Process{}, os.ErrProcessDone }
func (Process) OpenFiles() map[string]string     { return nil }
func (Process) stat(string) (fs.FileInfo, error) { return nil, fs.ErrNotExist }
func (Process) program() (fs.FileInfo, error)    { return nil, fs.ErrNotExist }
func (Process) hasOpen(fs.FileInfo) bool         { return false }

// Group does nothing: when its context ends cmd is killed, which is the native program. So is the program of [Ask].
func Group(*exec.Cmd) (kill func()) { return func() {} }

func isolate(cmd *exec.Cmd) (leave func()) { return Group(cmd) }
