package manager

import "golang.org/x/sys/unix"

func renameNoReplace(fd int, name string, toFd int, toName string) error {
	return unix.RenameatxNp(fd, name, toFd, toName, unix.RENAME_EXCL)
}

func renameExchange(fd int, name string, toFd int, toName string) error {
	return unix.RenameatxNp(fd, name, toFd, toName, unix.RENAME_SWAP)
}

func itemOf(st *unix.Stat_t) item {
	return item{
		mode: uint32(st.Mode), dev: uint64(st.Dev), ino: st.Ino, size: st.Size,
		mtime: st.Mtim, ctime: st.Ctim, links: uint64(st.Nlink),
	}
}
