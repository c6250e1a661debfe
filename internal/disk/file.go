// Package disk acts on files: open directories whose entries are changed by name, atomic writes, renames that do not replace. It knows
// nothing of accounts.
package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"swop/internal/disk/sys"
)

// WriteFile replaces file with data, 0600, so that a reader or a crash sees the old contents or the new, never a part. A link is replaced,
// never followed.
func WriteFile(file string, data []byte) error { return write(file, data, os.Rename) }

// CreateFile is [WriteFile] of a file that must not exist yet: else the error wraps fs.ErrExist.
func CreateFile(file string, data []byte) error {
	return write(file, data, func(tmp, file string) error { return errors.Join(os.Link(tmp, file), os.Remove(tmp)) })
}

// write writes data to a new file beside file, 0600 whatever the umask and synced, which place gives its name; then it syncs the directory.
func write(file string, data []byte, place func(tmp, file string) error) error {
	f, err := os.OpenFile(filepath.Join(filepath.Dir(file), TempName()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = errors.Join(f.Chmod(0o600), Fill(f, data))
	if err == nil {
		err = place(f.Name(), file)
	}
	if err != nil {
		return errors.Join(err, RemoveIfExists(f.Name()))
	}
	return SyncDir(filepath.Dir(file))
}

// Fill writes data to f, syncs it and closes it.
func Fill(f *os.File, data []byte) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// ReadFile returns the contents of the regular file at path, of most bytes at most. It never waits, as a FIFO would make it.
func ReadFile(path string, most int64) (string, error) {
	return ReadFileStat(path, 0, most, new(sys.Stat_t))
}

// ReadOwn is [ReadFile] for a file of swop's own, or where a session writes: a link is refused with an error that wraps [ErrUnsafe].
func ReadOwn(path string, most int64) (string, error) {
	return ReadFileStat(path, sys.O_NOFOLLOW, most, new(sys.Stat_t))
}

// ReadFileStat is [ReadFile], or with O_NOFOLLOW in flags [ReadOwn], that also sets st to the result of fstat(2). It makes no [os.File],
// whose poller would cost a start more than the reading.
func ReadFileStat(path string, flags int, most int64, st *sys.Stat_t) (string, error) {
	fd, err := RetryEINTR(func() (int, error) { return openToRead(path, flags) })
	switch {
	case flags&sys.O_NOFOLLOW != 0 && errors.Is(err, sys.ELOOP):
		return "", Unsafe("%s: is a link", path)
	case err != nil:
		return "", &fs.PathError{Op: "open", Path: path, Err: sys.Errno(err)}
	}
	defer sys.Close(fd)
	if err := sys.Fstat(fd, st); err != nil {
		return "", &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	if st.Mode&sys.S_IFMT != sys.S_IFREG {
		return "", fmt.Errorf("%s: not a regular file", path)
	}
	text := make([]byte, 0, min(max(st.Size, 511), most)+1) // a file of /proc has no size
	for {
		n, err := RetryEINTR(func() (int, error) { return sys.Read(fd, text[len(text):cap(text)]) })
		text = text[:len(text)+max(n, 0)]
		switch {
		case err != nil:
			return "", &fs.PathError{Op: "read", Path: path, Err: sys.Errno(err)}
		case int64(len(text)) > most:
			return "", fmt.Errorf("%s: larger than %d bytes", path, most)
		case n == 0, int64(len(text)) == st.Size:
			return string(text), nil
		}
		text = slices.Grow(text, 1)
	}
}

// Briefly calls f again until it returns false, for at most the time limit, ever less often.
func Briefly(limit time.Duration, f func() (again bool, err error)) error {
	for pause := 10 * time.Millisecond; limit > 0; pause *= 2 {
		if again, err := f(); !again {
			return err
		}
		time.Sleep(min(pause, limit))
		limit -= pause
	}
	_, err := f()
	return err
}

// RetryEINTR calls f again as long as a signal interrupts it, as package os does for its own calls: without SA_RESTART, and on some
// file systems even with it, open and the like return EINTR (signal(7)). f returns the system call's own error.
func RetryEINTR[T any](f func() (T, error)) (T, error) {
	for {
		v, err := f()
		if !errors.Is(err, syscall.EINTR) {
			return v, err
		}
	}
}

// OnPath returns the file that execvp(3) would run for the command with this PATH. It is relative where the entry of PATH is. The error
// wraps [fs.ErrPermission] where there are only files that cannot be run.
func OnPath(command, path string) (string, error) {
	if filepath.Ext(command) == "" {
		command += Exe
	}
	if strings.ContainsAny(command, "/"+separator) {
		_, err := os.Stat(command)
		return command, err
	}
	reason := errors.New("not found on PATH")
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, command)
		if mayRun(file) {
			return file, nil
		}
		if _, err := os.Stat(file); err == nil {
			reason = fs.ErrPermission
		}
	}
	return "", &fs.PathError{Op: "run", Path: command, Err: reason}
}

// RemoveIfExists removes a file; one that is gone already is no error.
func RemoveIfExists(file string) error { return Ignore(os.Remove(file), fs.ErrNotExist) }

// IsDir reports whether dir is a directory, or a link to one.
func IsDir(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

// Ignore returns nil for an error that wraps a harmless one, else err.
func Ignore(err error, harmless ...error) error {
	for _, h := range harmless {
		if errors.Is(err, h) {
			return nil
		}
	}
	return err
}

// MaxLinks is how many links in a row the kernel follows (path_resolution(7)).
const MaxLinks = 40

// MakeDirs makes dir and the directories above it that are missing, 0700 whatever the umask, and syncs them: a file is lost with its
// directory.
func MakeDirs(dir string) error {
	if IsDir(dir) {
		return nil
	}
	err := MakeDir(dir) // first: what leads to it may be a junction, which is no directory for package os
	if errors.Is(err, fs.ErrNotExist) {
		if err = MakeDirs(filepath.Dir(dir)); err == nil {
			err = MakeDir(dir)
		}
	}
	if errors.Is(err, fs.ErrExist) && IsDir(dir) {
		return nil // another run made it
	}
	if err != nil {
		return err
	}
	return SyncDir(filepath.Dir(dir))
}

// AppendLine adds a line to a log, 0600: with one write, so that no line of another program is mixed in. A log of more than most bytes is
// renamed before, with .1 at the end of its name, in the place of the one that was renamed last.
func AppendLine(file string, line []byte, most int64) error {
	if err := MakeDirs(filepath.Dir(file)); err != nil {
		return err
	}
	if info, err := os.Lstat(file); err == nil && info.Size() > most {
		if err := Ignore(os.Rename(file, file+".1"), fs.ErrNotExist); err != nil { // another program may have renamed it
			return err
		}
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}
