package process

import (
	"strings"
	"time"
)

// programFile is a file under /proc/<pid> about the program that the process runs. The kernel copies it from a range of the process's
// memory, whose bounds are fields of the file stat (proc_pid_stat(5)), counted here from the first one after the name.
type programFile struct {
	name       string
	start, end int
}

var (
	cmdline = programFile{"/cmdline", 45, 46}
	environ = programFile{"/environ", 47, 48}
)

// Two more fields: the size of the process's memory, 0 for a thread of the kernel and for a process that is ending, and the start of the
// program's code, which execve(2) sets last.
const (
	statVSize     = 20
	statStartCode = 23
)

const (
	execStep  = time.Millisecond
	execSteps = 1000 // a busy machine may suspend a process in the middle of execve(2)
)

// readOfProgram returns the contents of such a file. During an execve(2) the file is empty: the process has the new program's memory
// before the kernel knows where in it the arguments and the environment are. A process that is missed then may be the very one that uses
// the account, so an empty file is read again for up to a second.
func readOfProgram(pid int, file programFile, buf []byte) ([]byte, error) {
	for range execSteps {
		var err error
		if buf, err = readProc(procDir(pid)+file.name, buf); err != nil || len(buf) > 0 || !file.incomplete(pid) {
			return buf, err
		}
		time.Sleep(execStep)
	}
	return buf, nil
}

// incomplete reports whether the file, which was found empty, will have contents: its range is not empty, or not known yet.
func (file programFile) incomplete(pid int) bool {
	stat, err := readProc(procDir(pid)+"/stat", nil)
	if err != nil {
		return false
	}
	f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(f) <= file.end || f[statVSize] == "0" {
		return false
	}
	return f[statStartCode] == "0" || f[file.start] != f[file.end]
}
