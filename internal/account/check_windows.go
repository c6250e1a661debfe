package account

import (
	"fmt"
	"io/fs"

	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/say"
)

// CheckDir refuses a directory of ours that another user could reach or that is not what we made: a link, no directory, or open to others.
// A missing one gives an error that wraps fs.ErrNotExist.
func (s Layout) CheckDir(dir string) error {
	var st sys.Stat_t
	if err := sys.Lstat(dir, &st); err != nil {
		return &fs.PathError{Op: "lstat", Path: dir, Err: err}
	}
	is := map[uint32]string{sys.S_IFLNK: "is a link, and whoever can change it gets the logins", sys.S_IFREG: "is not a directory"}
	if what, ok := is[st.Mode&sys.S_IFMT]; ok {
		return say.WithHint(disk.Unsafe("%s: %s", say.Name(dir), what), fmt.Sprintf("move %s %s", say.ShellQuote(dir), say.ShellQuote(dir+".old")))
	}
	who, err := sys.Others(dir, sys.ToRead|sys.ToWrite)
	if err != nil || who == "" {
		return err
	}
	err = disk.Unsafe("%s: is open to %s", say.Name(dir), who)
	return say.WithHint(err, fmt.Sprintf("icacls %s /inheritance:r /grant:r \"%%USERNAME%%:(OI)(CI)F\"", say.ShellQuote(dir)))
}

func (Layout) close(dir string) bool { return disk.IsDir(dir) && sys.Protect(dir) == nil }

// CheckOwnerOf refuses a directory that another user may write to.
func (s Layout) CheckOwnerOf(dir string) error {
	who, err := sys.Others(dir, sys.ToWrite)
	if err == nil && who != "" {
		err = disk.Unsafe("%s: %s may write to it", say.Name(dir), who)
	}
	return err
}
