package faults

import (
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// kind says what a call does, and so whether it changes a file, and which errors it can give.
type kind uint8

const (
	opens   kind = iota // to write or to read, by its flags
	writes              // only to a regular file: what goes to a terminal or a pipe is not on disk
	makes               // gives a directory a new entry, or moves one
	removes             // removes an entry
	alters              // changes the metadata or the length of a file
	syncs               // makes a change durable
	locks               // flock(2), which changes nothing
)

// place says which arguments of a call name a file: a path, relative to a directory's descriptor unless dir is noDir; or a descriptor
// alone.
type place struct{ dir, path int }

const (
	noDir  = -1
	noPath = -1
)

// spec is a call that is watched.
type spec struct {
	name  string
	kind  kind
	at    []place
	flags int // of an open: the argument with its flags; noFlags where it has none
}

const noFlags = -1

// specs are the watched calls that all platforms have.
var specs = map[uint64]spec{
	unix.SYS_OPENAT:            {"openat", opens, []place{{0, 1}}, 2},
	unix.SYS_OPENAT2:           {"openat2", opens, []place{{0, 1}}, 2},
	unix.SYS_WRITE:             {"write", writes, descriptor(0), noFlags},
	unix.SYS_PWRITE64:          {"pwrite", writes, descriptor(0), noFlags},
	unix.SYS_WRITEV:            {"writev", writes, descriptor(0), noFlags},
	unix.SYS_PWRITEV:           {"pwritev", writes, descriptor(0), noFlags},
	unix.SYS_PWRITEV2:          {"pwritev2", writes, descriptor(0), noFlags},
	unix.SYS_SENDFILE:          {"sendfile", writes, descriptor(0), noFlags},
	unix.SYS_SPLICE:            {"splice", writes, descriptor(2), noFlags},
	unix.SYS_COPY_FILE_RANGE:   {"copy_file_range", writes, descriptor(2), noFlags},
	unix.SYS_FALLOCATE:         {"fallocate", writes, descriptor(0), noFlags},
	unix.SYS_RENAMEAT2:         {"renameat2", makes, []place{{0, 1}, {2, 3}}, noFlags},
	unix.SYS_LINKAT:            {"linkat", makes, []place{{0, 1}, {2, 3}}, noFlags},
	unix.SYS_SYMLINKAT:         {"symlinkat", makes, []place{{1, 2}}, noFlags},
	unix.SYS_MKDIRAT:           {"mkdirat", makes, []place{{0, 1}}, noFlags},
	unix.SYS_MKNODAT:           {"mknodat", makes, []place{{0, 1}}, noFlags},
	unix.SYS_UNLINKAT:          {"unlinkat", removes, []place{{0, 1}}, noFlags},
	unix.SYS_TRUNCATE:          {"truncate", alters, []place{{noDir, 0}}, noFlags},
	unix.SYS_FTRUNCATE:         {"ftruncate", alters, descriptor(0), noFlags},
	unix.SYS_FCHMOD:            {"fchmod", alters, descriptor(0), noFlags},
	unix.SYS_FCHMODAT:          {"fchmodat", alters, []place{{0, 1}}, noFlags},
	unix.SYS_FCHMODAT2:         {"fchmodat2", alters, []place{{0, 1}}, noFlags},
	unix.SYS_FCHOWN:            {"fchown", alters, descriptor(0), noFlags},
	unix.SYS_FCHOWNAT:          {"fchownat", alters, []place{{0, 1}}, noFlags},
	unix.SYS_UTIMENSAT:         {"utimensat", alters, []place{{0, 1}}, noFlags},
	unix.SYS_SETXATTR:          {"setxattr", alters, []place{{noDir, 0}}, noFlags},
	unix.SYS_LSETXATTR:         {"lsetxattr", alters, []place{{noDir, 0}}, noFlags},
	unix.SYS_FSETXATTR:         {"fsetxattr", alters, descriptor(0), noFlags},
	unix.SYS_REMOVEXATTR:       {"removexattr", alters, []place{{noDir, 0}}, noFlags},
	unix.SYS_LREMOVEXATTR:      {"lremovexattr", alters, []place{{noDir, 0}}, noFlags},
	unix.SYS_FREMOVEXATTR:      {"fremovexattr", alters, descriptor(0), noFlags},
	unix.SYS_FSYNC:             {"fsync", syncs, descriptor(0), noFlags},
	unix.SYS_FDATASYNC:         {"fdatasync", syncs, descriptor(0), noFlags},
	unix.SYS_SYNC_FILE_RANGE:   {"sync_file_range", syncs, descriptor(0), noFlags},
	unix.SYS_SYNCFS:            {"syncfs", syncs, descriptor(0), noFlags},
	unix.SYS_FLOCK:             {"flock", locks, descriptor(0), noFlags},
	unix.SYS_IO_URING_SETUP:    {"io_uring_setup", alters, nil, noFlags}, // its writes cannot be watched: a test must fail then
	unix.SYS_OPEN_BY_HANDLE_AT: {"open_by_handle_at", opens, nil, 2},
}

func descriptor(arg int) []place { return []place{{arg, noPath}} }

// Call is a watched call that is about to be made.
type Call struct {
	Change  int      // its place among the calls of the command that change a file, from 0; -1 for an open that only reads, and for flock
	Program string   // the file that the process runs
	Name    string   // without the number, as strace has it
	Paths   []string // absolute, as far as the call names files
	kind    kind
	creates bool // of an open: it may create the file
}

func (c Call) String() string {
	return fmt.Sprintf("%s of %s %s", c.Name, filepath.Base(c.Program), strings.Join(c.Paths, " -> "))
}

// Errors are the errors that the call can give where a disk is full, read-only or broken, where access is denied, where descriptors have
// run out and where a signal arrives, as far as its manual page lists them.
func (c Call) Errors() []unix.Errno {
	switch c.kind {
	case opens:
		list := []unix.Errno{unix.EACCES, unix.EIO, unix.EMFILE, unix.EINTR, unix.EROFS}
		if c.creates {
			list = append(list, unix.ENOSPC, unix.EDQUOT)
		}
		return list
	case writes:
		return []unix.Errno{unix.ENOSPC, unix.EDQUOT, unix.EIO, unix.EINTR}
	case makes:
		return []unix.Errno{unix.ENOSPC, unix.EDQUOT, unix.EROFS, unix.EACCES, unix.EIO}
	case removes, alters:
		return []unix.Errno{unix.EROFS, unix.EACCES, unix.EIO}
	case syncs:
		return []unix.Errno{unix.ENOSPC, unix.EDQUOT, unix.EIO}
	}
	return nil
}

// NeedsRoom reports whether the call fails where a disk has no room for data: names cost nothing.
func (c Call) NeedsRoom() bool { return c.kind == writes }
