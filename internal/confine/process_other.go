//go:build !linux

package confine

import "swop/config"

// RunProcess runs nothing: no session is confined here.
func RunProcess(string, []string, config.Env) (status int, ok bool) { return 0, false }

// Check says that no session can be confined here.
func Check() error { return &Unavailable{Reason: "that needs Linux, or WSL"} }

// Kernel names no mechanism.
func Kernel() (signals, lacks string) { return "", "" }

// onDisk returns whether sessions see a path of the disk.
func onDisk() func(path string) bool { return func(string) bool { return true } }
