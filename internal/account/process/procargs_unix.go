//go:build unix

package process

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
)

// This is for macOS, and here for all systems so that its test runs on each of them.

// readArgs fills in what a kern.procargs2 block tells: the number of arguments as an int, the program's path, NULs, the arguments and the
// environment, each with a NUL at its end.
func (p *Process) readArgs(block []byte) {
	if len(block) < 4 {
		return
	}
	argc := int(binary.NativeEndian.Uint32(block))
	path, rest, _ := bytes.Cut(block[4:], []byte{0})
	p.exe = string(path)
	fields := bytes.Split(bytes.TrimLeft(rest, "\x00"), []byte{0})
	if argc <= 0 || argc > len(fields) {
		return
	}
	for _, arg := range fields[:argc] {
		p.args = append(p.args, string(arg))
	}
	if p.args[0] != "" {
		p.Command = filepath.Base(p.args[0])
	}
	for _, entry := range fields[argc:] {
		p.env.keep(entry)
	}
}
