package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"swop/internal/disk/sys"
)

// Lstat returns the entry at path, through a directory of ours; one that is not there is not an error.
func Lstat(path string) (Stat, error) { return stat(path, sys.Lstat) }

func stat(path string, call func(string, *sys.Stat_t) error) (Stat, error) {
	var st sys.Stat_t
	err := call(path, &st)
	if errors.Is(err, sys.ENOENT) || errors.Is(err, sys.ENOTDIR) {
		return Stat{}, nil
	}
	if err != nil {
		return Stat{}, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	return StatOf(&st), nil
}

// At returns the entry at path, the zero Stat if it cannot be seen.
func At(path string) Stat {
	here, _ := Lstat(path) // an entry that cannot be seen is missing
	return here
}

// MayExist reports whether an entry is at path, or may be: one that cannot be seen.
func MayExist(path string) bool {
	here, err := Lstat(path)
	return err != nil || here.Exists()
}

// Device returns the device of path; of a missing one, that of the nearest directory above it.
func Device(path string) (uint64, error) {
	var st sys.Stat_t
	err := sys.Stat(path, &st)
	if above := filepath.Dir(path); err != nil && above != path {
		return Device(above)
	}
	if err != nil {
		return 0, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	return uint64(st.Dev), nil
}

// SameFile reports whether two paths lead to one file or directory.
func SameFile(a, b string) bool {
	var one, other sys.Stat_t
	return sys.Stat(a, &one) == nil && sys.Stat(b, &other) == nil && one.Dev == other.Dev && one.Ino == other.Ino
}

// Resolve returns path with its links resolved as far as it exists.
func Resolve(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(Resolve(dir), filepath.Base(path))
}

// Links returns the links that an absolute path leads through, and where they lead, as the kernel follows them (path_resolution(7)), as far
// as that exists; "" for what may not be seen, for more than MaxLinks, or more names on the way than any path has.
func Links(path string) (links []string, at string) {
	at = "/"
	const most = 500
	steps := 0
	for todo := strings.Split(path, "/"); len(todo) > 0; steps++ {
		next := filepath.Join(at, todo[0]) // also for "", "." and ".."
		todo = todo[1:]
		to, err := os.Readlink(next)
		if errors.Is(err, fs.ErrPermission) || len(links) == MaxLinks || steps == most {
			return links, ""
		}
		if err != nil {
			at = next
			continue
		}
		links = append(links, next)
		if filepath.IsAbs(to) {
			at = "/"
		}
		todo = append(strings.Split(to, "/"), todo...)
	}
	return links, at
}
