package sys

import (
	"errors"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// Timespec is a time since 1970.
type Timespec struct{ Sec, Nsec int64 }

// Stat_t is what is known of a file or directory. A junction has the type of a link. Who may use the file is in its ACL: the permissions are
// always the owner's alone.
type Stat_t struct {
	Dev, Ino     uint64
	Mode         uint32
	Nlink        uint64
	Uid, Gid     int32 // -1, as os.Geteuid has it here
	Size, Blocks int64
	Mtim, Ctim   Timespec
}

// The bits of flock(2), open(2) and stat(2) that the shared packages use.
const (
	LOCK_SH = 1
	LOCK_EX = 2
	LOCK_NB = 4

	O_CLOEXEC  = syscall.O_CLOEXEC
	O_CREAT    = syscall.O_CREAT
	O_NOFOLLOW = 0x20000
	O_NONBLOCK = syscall.O_NONBLOCK

	S_IFDIR = 0o040000
	S_IFLNK = 0o120000
	S_IFMT  = 0o170000
	S_IFREG = 0o100000
)

// The errors that the shared packages tell apart. Windows itself returns others: see [Errno].
const (
	EBUSY       = syscall.EBUSY
	EEXIST      = syscall.EEXIST
	EINVAL      = syscall.EINVAL
	ELOOP       = syscall.ELOOP
	EMFILE      = syscall.EMFILE
	ENFILE      = syscall.ENFILE
	ENOENT      = syscall.ENOENT
	ENOMEM      = syscall.ENOMEM
	ENOSPC      = syscall.ENOSPC
	ENOTDIR     = syscall.ENOTDIR
	ENOTEMPTY   = syscall.ENOTEMPTY
	EROFS       = syscall.EROFS
	EWOULDBLOCK = syscall.EWOULDBLOCK
	EXDEV       = syscall.EXDEV
)

// errnos are the errors of Windows that have another name on Unix.
var errnos = map[syscall.Errno]syscall.Errno{
	windows.ERROR_FILE_NOT_FOUND:      ENOENT,
	windows.ERROR_PATH_NOT_FOUND:      ENOENT,
	windows.ERROR_INVALID_NAME:        ENOENT,
	windows.ERROR_FILE_EXISTS:         EEXIST,
	windows.ERROR_ALREADY_EXISTS:      EEXIST,
	windows.ERROR_NOT_SAME_DEVICE:     EXDEV,
	windows.ERROR_SHARING_VIOLATION:   EBUSY,
	windows.ERROR_LOCK_VIOLATION:      EWOULDBLOCK,
	windows.ERROR_DIR_NOT_EMPTY:       ENOTEMPTY,
	windows.ERROR_DIRECTORY:           ENOTDIR,
	windows.ERROR_DISK_FULL:           ENOSPC,
	windows.ERROR_HANDLE_DISK_FULL:    ENOSPC,
	windows.ERROR_WRITE_PROTECT:       EROFS,
	windows.ERROR_TOO_MANY_OPEN_FILES: EMFILE,
	windows.ERROR_NOT_ENOUGH_MEMORY:   ENOMEM,
}

// Errno returns the system's error in err by the name that Unix has for it, and any other error as it is.
func Errno(err error) error {
	e, ok := errors.AsType[syscall.Errno](err)
	if !ok {
		return err
	}
	if known, ok := errnos[e]; ok {
		return known
	}
	return e
}

// Stat returns what the file at path is, links followed.
func Stat(path string, st *Stat_t) error { return stat(path, 0, st) }

// Lstat returns what the file at path is, a junction itself.
func Lstat(path string, st *Stat_t) error {
	if _, ok := JunctionTarget(path); ok {
		*st = Stat_t{Mode: S_IFLNK | 0o700}
	}
	isLink := st.Mode&S_IFMT == S_IFLNK
	if err := stat(path, windows.FILE_FLAG_OPEN_REPARSE_POINT, st); err != nil {
		return err
	}
	if isLink {
		st.Mode = S_IFLNK | 0o700
	}
	return nil
}

func stat(path string, flags uint32, st *Stat_t) error {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return err
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	h, err := windows.CreateFile(name, windows.FILE_READ_ATTRIBUTES, share, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS|flags, 0)
	if err != nil {
		return Errno(err)
	}
	defer windows.CloseHandle(h)
	return Fstat(int(h), st)
}

// Fstat returns what the open file is. A file's number is the handle of its file system with the index that it has there.
func Fstat(handle int, st *Stat_t) error {
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(handle), &info); err != nil {
		return Errno(err)
	}
	*st = Stat_t{
		Dev: uint64(info.VolumeSerialNumber), Ino: uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow),
		Mode: S_IFREG | 0o600, Size: int64(info.FileSizeHigh)<<32 | int64(info.FileSizeLow),
		Nlink: uint64(info.NumberOfLinks), Uid: -1, Gid: -1, Mtim: timespec(info.LastWriteTime), Ctim: timespec(info.LastWriteTime),
	}
	if info.FileAttributes&windows.FILE_ATTRIBUTE_DIRECTORY != 0 {
		st.Mode = S_IFDIR | 0o700
	}
	st.Blocks = (st.Size + 511) / 512
	return nil
}

func timespec(t windows.Filetime) Timespec {
	ns := t.Nanoseconds()
	return Timespec{ns / int64(time.Second), ns % int64(time.Second)}
}

// Mtime returns when the file was written, in nanoseconds since 1970.
func Mtime(st *Stat_t) int64 { return st.Mtim.Sec*int64(time.Second) + st.Mtim.Nsec }

// Flock locks the open file as flock(2) does. The error is EWOULDBLOCK where another has it and how says not to wait. Unlike there a process that
// holds a lock does not change it by asking again: it gives it back first.
func Flock(handle, how int) error {
	var flags uint32
	if how&LOCK_EX != 0 {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	if how&LOCK_NB != 0 {
		flags |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	err := windows.LockFileEx(windows.Handle(handle), flags, 0, 1, 0, lockedAt())
	if errors.Is(err, windows.ERROR_IO_PENDING) {
		return EWOULDBLOCK
	}
	return Errno(err)
}

// Funlock gives a lock back.
func Funlock(handle int) error {
	return Errno(windows.UnlockFileEx(windows.Handle(handle), 0, 1, 0, lockedAt()))
}

// lockedAt is the byte that is locked: one that no file has, since Windows keeps others from reading what is locked.
func lockedAt() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1 << 30} }

// Rename renames a file, directory or junction to a name that is free. The error is EEXIST where it is not.
func Rename(from, to string) error {
	a, err := windows.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	b, err := windows.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	return Errno(windows.MoveFileEx(a, b, 0))
}

// SetMtime sets the time at which an open file was written.
func SetMtime(handle int, at time.Time) error {
	when := windows.NsecToFiletime(at.UnixNano())
	return Errno(windows.SetFileTime(windows.Handle(handle), nil, nil, &when))
}
