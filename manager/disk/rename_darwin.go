package disk

import (
	"golang.org/x/sys/unix"
)

func renameNoReplace(fd int, name string, toFd int, toName string) error {
	return unix.RenameatxNp(fd, name, toFd, toName, unix.RENAME_EXCL)
}

func renameExchange(fd int, name string, toFd int, toName string) error {
	return unix.RenameatxNp(fd, name, toFd, toName, unix.RENAME_SWAP)
}

func StatOf(st *unix.Stat_t) Stat {
	return Stat{
		mode: uint32(st.Mode), Dev: uint64(st.Dev), Ino: st.Ino, Size: st.Size,
		Mtime: st.Mtim, Ctime: st.Ctim, links: uint64(st.Nlink),
	}
}
