//go:build unix && !linux

package shim

// ActAsOwner does nothing here: a thread has no user of its own for file access.
func (s Invocation) ActAsOwner() (undo func()) { return func() {} }
