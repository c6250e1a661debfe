//go:build !linux && !darwin

package process

import (
	"errors"
	"fmt"
	"io/fs"
)

// DescriptorsVisible: how to list the files that a process has open on this system is not known yet.
const DescriptorsVisible = false

// readProcesses fails with an error that wraps errors.ErrUnsupported: how to read another process's environment on this system is not
// known yet.
func readProcesses() ([]Process, error) {
	return nil, fmt.Errorf("finding the processes of an account: %w on this system", errors.ErrUnsupported)
}

func (p *Process) describe() {}

func (p Process) stat(string) (fs.FileInfo, error) { return nil, errors.ErrUnsupported }

func (p Process) program() (fs.FileInfo, error) { return nil, errors.ErrUnsupported }

func (p Process) hasOpen(fs.FileInfo) bool { return false }
