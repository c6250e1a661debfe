//go:build unix && !linux

package swop_test

// attackMain is for Linux.
func attackMain() {}
