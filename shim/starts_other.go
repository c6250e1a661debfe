//go:build !linux

package shim

// Here the environment alone counts.
func countedStarts() int { return 0 }

func countStart(int) {}
