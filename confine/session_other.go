//go:build !linux

package confine

// Session is a confined session. There is none on this system yet.
type Session struct{}
