package manager

import "golang.org/x/sys/unix"

func renameNoReplace(fd int, name string, toFd int, toName string) error {
	return unix.Renameat2(fd, name, toFd, toName, unix.RENAME_NOREPLACE)
}

func renameExchange(fd int, name string, toFd int, toName string) error {
	return unix.Renameat2(fd, name, toFd, toName, unix.RENAME_EXCHANGE)
}

func itemOf(st *unix.Stat_t) item {
	return item{
		mode: st.Mode, dev: st.Dev, ino: st.Ino, size: st.Size,
		mtime: st.Mtim, ctime: st.Ctim, links: uint64(st.Nlink),
	}
}
