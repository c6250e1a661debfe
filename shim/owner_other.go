//go:build unix && !linux

package shim

// ActAsOwner does nothing here: a thread has no user of its own for file access.
func (s Scene) ActAsOwner() (undo func()) { return func() {} }
