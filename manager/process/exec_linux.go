package process

import (
	"strings"
	"time"
)

// programFile is a file under /proc/<pid> with something of the program that the process runs. The kernel takes it from a range of the
// process's memory, whose bounds are fields of the file stat (proc_pid_stat(5)), counted here from the one behind the name.
type programFile struct {
	name       string
	start, end int
}

var (
	cmdline = programFile{"/cmdline", 45, 46}
	environ = programFile{"/environ", 47, 48}
)

// Of the other fields two: the size of the process's memory, 0 for a thread of the kernel and for a process that ends, and where the
// program's code begins, which execve(2) sets last.
const (
	statVSize     = 20
	statStartCode = 23
)

const (
	execStep  = time.Millisecond
	execSteps = 1000 // a busy machine may keep a process from going on that is amid execve(2)
)

// readOfProgram is readProc of such a file. Amid an execve(2) it is empty: the process has the new program's memory before the kernel
// knows where in it the arguments and the environment are. Who is missed then may be the very one that uses the account; so it is looked at
// again, for a while.
func readOfProgram(pid int, file programFile, buf []byte) ([]byte, error) {
	for range execSteps {
		var err error
		if buf, err = readProc(procDir(pid)+file.name, buf); err != nil || len(buf) > 0 || !file.belies(pid) {
			return buf, err
		}
		time.Sleep(execStep)
	}
	return buf, nil
}

// belies says whether the file, which was found empty, is not: its range is not, or is not known yet.
func (file programFile) belies(pid int) bool {
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
