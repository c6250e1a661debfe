//go:build !linux

package confine

import "swop/config"

// RunProcess runs nothing: no session is confined here.
func RunProcess(string, []string, config.Env) (status int, ok bool) { return 0, false }

// Check says that no session can be confined here.
func Check() error { return &Unavailable{Reason: "that needs Linux, or WSL"} }

// Kernel names no mechanism.
func Kernel() (signals, lacks string) { return "", "" }

// Disk is what sessions have of the disk.
type Disk struct{ Users []string }

// ReadDisk finds nothing.
func ReadDisk() (d Disk, err error) { return d, nil }

// Has reports nothing.
func (Disk) Has(string) bool { return false }
