package bridge

import "golang.org/x/sys/unix"

// hide keeps other programs of this user from reading the memory and the environment of this process.
func hide() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
