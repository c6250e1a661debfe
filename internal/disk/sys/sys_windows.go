package sys

import (
	"errors"
	"syscall"

	"golang.org/x/sys/windows"
)

// Timespec is a time since 1970.
type Timespec = windows.Timespec

// Stat_t is what is known of a file or directory. A junction has the type of a link. Who may use the file is in its ACL: the permissions
// are always the owner's alone.
type Stat_t struct {
	Dev, Ino   uint64
	Mode       uint32
	Nlink      uint64
	Uid, Gid   int32 // -1, as os.Geteuid has it here
	Size       int64
	Mtim, Ctim Timespec
}

// The bits of flock(2) are LockFileEx's own. No file is opened with O_NOFOLLOW: what opens one looks first.
const (
	LOCK_SH = 0
	LOCK_EX = windows.LOCKFILE_EXCLUSIVE_LOCK
	LOCK_NB = windows.LOCKFILE_FAIL_IMMEDIATELY

	O_NOFOLLOW = 0x20000
)

// errnos are the errors of Windows that have another name on Unix.
var errnos = map[syscall.Errno]syscall.Errno{
	windows.ERROR_FILE_NOT_FOUND:    ENOENT,
	windows.ERROR_PATH_NOT_FOUND:    ENOENT,
	windows.ERROR_INVALID_NAME:      ENOENT,
	windows.ERROR_INVALID_FUNCTION:  EINVAL, // as what cannot be locked answers
	windows.ERROR_FILE_EXISTS:       EEXIST,
	windows.ERROR_ALREADY_EXISTS:    EEXIST,
	windows.ERROR_NOT_SAME_DEVICE:   EXDEV,
	windows.ERROR_SHARING_VIOLATION: EBUSY,
	windows.ERROR_LOCK_VIOLATION:    EWOULDBLOCK,
	windows.ERROR_IO_PENDING:        EWOULDBLOCK,
	windows.ERROR_DIR_NOT_EMPTY:     ENOTEMPTY,
	windows.ERROR_DIRECTORY:         ENOTDIR,
	windows.ERROR_DISK_FULL:         ENOSPC,
	windows.ERROR_HANDLE_DISK_FULL:  ENOSPC,
	windows.ERROR_WRITE_PROTECT:     EROFS,
}

// Errno returns the system's error in err by the name that Unix has for it, and any other error as it is.
func Errno(err error) error {
	e, ok := errors.AsType[syscall.Errno](err)
	if known, mapped := errnos[e]; mapped {
		return known
	}
	if ok {
		return e
	}
	return err
}

// OpenFile opens a file or directory in a way that keeps nobody else out, as Unix does. mode says whether it may be made.
func OpenFile(path string, access, mode, flags uint32) (windows.Handle, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, err
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	h, err := windows.CreateFile(name, access, share, nil, mode, windows.FILE_FLAG_BACKUP_SEMANTICS|flags, 0)
	return h, Errno(err)
}

// Stat returns what the file at path is, links followed.
func Stat(path string, st *Stat_t) error { return stat(path, 0, st) }

// Lstat returns what the file at path is, a junction itself.
func Lstat(path string, st *Stat_t) error {
	err := stat(path, windows.FILE_FLAG_OPEN_REPARSE_POINT, st)
	if _, link := JunctionTarget(path); link {
		st.Mode = S_IFLNK | 0o700
	}
	return err
}

func stat(path string, flags uint32, st *Stat_t) error {
	h, err := OpenFile(path, windows.FILE_READ_ATTRIBUTES, windows.OPEN_EXISTING, flags)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	return Fstat(int(h), st)
}

// Fstat returns what the open file is. A file's number is the serial number of its volume with the index that it has there.
func Fstat(handle int, st *Stat_t) error {
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(handle), &info); err != nil {
		return Errno(err)
	}
	written := windows.NsecToTimespec(info.LastWriteTime.Nanoseconds())
	*st = Stat_t{
		Dev: uint64(info.VolumeSerialNumber), Ino: uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow),
		Mode: S_IFREG | 0o600, Size: int64(info.FileSizeHigh)<<32 | int64(info.FileSizeLow),
		Nlink: uint64(info.NumberOfLinks), Uid: -1, Gid: -1, Mtim: written, Ctim: written,
	}
	if info.FileAttributes&windows.FILE_ATTRIBUTE_DIRECTORY != 0 {
		st.Mode = S_IFDIR | 0o700
	}
	return nil
}

// Read and Close are those of an open file that is read.
func Read(handle int, p []byte) (int, error) { return windows.Read(windows.Handle(handle), p) }
func Close(handle int)                       { _ = windows.CloseHandle(windows.Handle(handle)) }

// Flock locks the open file as flock(2) does: a lock that the process has on it is given up first. The error is EWOULDBLOCK where another
// has it and how says not to wait.
func Flock(handle, how int) error {
	Funlock(handle)
	return Errno(windows.LockFileEx(windows.Handle(handle), uint32(how), 0, 1, 0, lockedAt()))
}

// Funlock gives a lock back. Without one it does nothing.
func Funlock(handle int) { _ = windows.UnlockFileEx(windows.Handle(handle), 0, 1, 0, lockedAt()) }

// lockedAt is the byte that is locked: one that no file has, since Windows keeps others from reading what is locked.
func lockedAt() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1 << 30} }

// Rename renames a file, directory or junction to a name that is free. The error is EEXIST where it is not.
func Rename(from, to string) error {
	a, err := windows.UTF16PtrFromString(from)
	b, err2 := windows.UTF16PtrFromString(to)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	return Errno(windows.MoveFile(a, b))
}
