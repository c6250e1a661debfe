//go:build !linux

package confine

// Session is a confined session. There is none on this system yet.
type Session struct{}

// MiddleName is the argv[0] of a process of Linux.
const MiddleName = "swop-middle"
