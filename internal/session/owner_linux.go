package session

import (
	"os"
	"runtime"

	"swop/shim"

	"golang.org/x/sys/unix"
)

// ActAsOwner lets what this goroutine does to files be done as HOME's owner, where root may act for another user: the owner has what is
// made from the first moment, no lock of root's is in the way later, and no link in that home leads root to where its owner could not
// write. Only file access changes (setfsuid(2)), and only for a thread: programs that are started are root's. undo restores what was
// before.
func ActAsOwner(i shim.Invocation) (undo func()) {
	var home unix.Stat_t
	if i.Owner == 0 || os.Geteuid() != 0 || unix.Stat(i.Home, &home) != nil {
		return func() {}
	}
	runtime.LockOSThread()
	uid, gid := fsuid(int(home.Uid)), fsgid(int(home.Gid))
	return func() {
		fsuid(uid)
		fsgid(gid)
		runtime.UnlockOSThread()
	}
}

// fsuid sets the thread's user for file access and returns the one before. A system without the call leaves root's files, as does
// every other than Linux.
func fsuid(uid int) (was int) {
	was, _ = unix.SetfsuidRetUid(uid)
	return was
}

func fsgid(gid int) (was int) {
	was, _ = unix.SetfsgidRetGid(gid)
	return was
}
