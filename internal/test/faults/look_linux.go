package faults

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// stop is struct ptrace_syscall_info at a stop of seccomp.
type stop struct {
	op       uint8
	_        [3]uint8
	arch     uint32
	ip, sp   uint64
	nr       uint64
	args     [6]uint64
	data, _r uint32
}

func ptrace(request, tid, address int, data unsafe.Pointer) error {
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, uintptr(request), uintptr(tid), uintptr(address), uintptr(data), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// seen is what the tracer knows of a call.
type seen struct {
	Call
	alters bool // of an open: it is not only to read
}

// look returns the call before which the thread has stopped. ok is false for a call that is not watched, which also depends on its file.
func (t *tracer) look(tid int) (call seen, ok bool, err error) {
	var at stop
	if err := ptrace(unix.PTRACE_GET_SYSCALL_INFO, tid, int(unsafe.Sizeof(at)), unsafe.Pointer(&at)); err != nil {
		return call, false, fmt.Errorf("ptrace: %w", err)
	}
	s, ok := allSpecs[at.nr]
	if !ok {
		return call, false, nil
	}
	call.Name, call.kind = s.name, s.kind
	for _, p := range s.at {
		call.Paths = append(call.Paths, pathAt(tid, at.args, p))
	}
	if s.kind == opens {
		call.alters, call.creates = howOpened(tid, s, at.args)
	}
	if !t.watches(tid, s, at.args, call) {
		return call, false, nil
	}
	call.Program = programOf(tid)
	return call, true, nil
}

// watches reports whether the call is about a file on a disk: not a pipe, a terminal or one of the kernel's own files.
func (t *tracer) watches(tid int, s spec, args [6]uint64, call seen) bool {
	if len(call.Paths) == 0 {
		return true
	}
	path := call.Paths[0]
	if path == "" && s.at[0].path != noPath { // it is missing, whatever the disk is like
		return false
	}
	for _, dir := range []string{"/proc/", "/sys/", "/dev/"} {
		if strings.HasPrefix(path, dir) && !strings.HasPrefix(path, "/dev/shm/") {
			return false
		}
	}
	if s.kind == locks || s.kind == opens && !call.alters {
		return t.within != "" && strings.HasPrefix(path, t.within+"/")
	}
	if s.at[0].path != noPath {
		return true
	}
	info, err := os.Stat(fmt.Sprintf("/proc/%d/fd/%d", tid, int32(args[s.at[0].dir])))
	return err == nil && (info.Mode().IsRegular() || info.IsDir()) && filepath.IsAbs(path) // an eventfd's mode has no type either
}

// howOpened reports whether an open is for more than reading, and whether it may create the file.
func howOpened(tid int, s spec, args [6]uint64) (alters, creates bool) {
	if s.flags == noFlags { // creat(2)
		return true, true
	}
	flags := args[s.flags]
	if s.name == "openat2" { // struct open_how, whose first field the flags are
		var how [8]byte
		copy(how[:], readMemory(tid, args[s.flags], len(how)))
		flags = binary.NativeEndian.Uint64(how[:])
	}
	creates = flags&unix.O_CREAT != 0 || flags&unix.O_TMPFILE == unix.O_TMPFILE
	return creates || flags&unix.O_ACCMODE != unix.O_RDONLY || flags&unix.O_TRUNC != 0, creates
}

// pathAt returns the absolute path that the arguments name, as the process sees it, "" where that is unknown.
func pathAt(tid int, args [6]uint64, p place) string {
	if p.path == noPath {
		return linkOf(tid, fmt.Sprintf("fd/%d", int32(args[p.dir])))
	}
	text, _, _ := bytes.Cut(readMemory(tid, args[p.path], unix.PathMax), []byte{0})
	path := string(text)
	if filepath.IsAbs(path) || path == "" { // which no call finds
		return path
	}
	dir := "cwd"
	if p.dir != noDir && int32(args[p.dir]) != unix.AT_FDCWD {
		dir = fmt.Sprintf("fd/%d", int32(args[p.dir]))
	}
	return filepath.Join(linkOf(tid, dir), path)
}

func linkOf(tid int, name string) string {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/%s", tid, name))
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(path, " (deleted)")
}

// readMemory returns what the process has at address, at most size bytes: fewer where its memory ends earlier.
func readMemory(tid int, address uint64, size int) []byte {
	buf := make([]byte, size)
	read := 0
	for page := uint64(os.Getpagesize()); read < size; {
		at := address + uint64(read)
		part := buf[read:min(size, read+int(page-at%page))] // a part that ends in an unmapped page is not read at all
		local := unix.Iovec{Base: &part[0]}
		local.SetLen(len(part))
		n, err := unix.ProcessVMReadv(tid, []unix.Iovec{local}, []unix.RemoteIovec{{Base: uintptr(at), Len: len(part)}}, 0)
		if err != nil || bytes.IndexByte(part[:n], 0) >= 0 {
			return buf[:read+max(n, 0)]
		}
		read += n
	}
	return buf[:read]
}
