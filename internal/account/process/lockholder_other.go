//go:build !linux

package process

// LockHolder reports that this system does not tell who holds a lock.
func LockHolder(string) (Process, bool) { return Process{}, false }

// OnlyServer reports that this system does not tell who holds a lock.
func OnlyServer(string, string) (bool, error) { return false, nil }
