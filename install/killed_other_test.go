//go:build unix && !linux

package install

// runChild is for the tests that kill a run under Linux's ptrace(2).
func runChild(string) int { return 2 }
