package disk

import (
	"golang.org/x/sys/unix"
)

func renameNoReplace(fd int, name string, toFd int, toName string) error {
	return unix.Renameat2(fd, name, toFd, toName, unix.RENAME_NOREPLACE)
}

func renameExchange(fd int, name string, toFd int, toName string) error {
	return unix.Renameat2(fd, name, toFd, toName, unix.RENAME_EXCHANGE)
}

func StatOf(st *unix.Stat_t) Stat {
	return Stat{
		mode: st.Mode, Dev: st.Dev, Ino: st.Ino, Size: st.Size,
		Mtime: st.Mtim, Ctime: st.Ctim, links: uint64(st.Nlink),
	}
}
