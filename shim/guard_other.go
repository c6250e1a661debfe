//go:build !linux

package shim

// ownProgram is no file: the path must do.
const ownProgram = ""

// bootTicks is 0: without /proc a reused pid cannot be recognised.
func bootTicks() uint64 { return 0 }

func startedAfter(uint64) bool { return false }
