package install

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"swop/config"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/say"
)

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// isMissing reports whether err says that a path names nothing, also where a file is in the place of a directory on the way.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// lookPath returns the program that a shell with this PATH runs, "" if it is not found, or only by a relative entry.
func lookPath(name, path string) string {
	file, err := disk.OnPath(name, path)
	if err != nil || !filepath.IsAbs(file) {
		return ""
	}
	return file
}

// withoutPath returns err without the path in it, for a message that has named the path already.
func withoutPath(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}

// checkOwner refuses a home that belongs to another user, as sudo leaves it on some systems: its owner could not change the files
// made there. On Windows nobody has a number.
func checkOwner(home string, env config.Env) error {
	var st sys.Stat_t
	if err := sys.Stat(home, &st); err != nil {
		return &fs.PathError{Op: "stat", Path: home, Err: err}
	}
	if int(st.Uid) == os.Geteuid() || env.Value("SWOP_ALLOW_ROOT") == "1" {
		return nil
	}
	err := disk.Unsafe("the home directory %s belongs to uid %d, and you are uid %d", home, st.Uid, os.Geteuid())
	return say.WithHint(err, "run it without sudo, or with SWOP_ALLOW_ROOT=1 if you mean it")
}
