package account

import (
	"fmt"
	"io/fs"

	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/say"
)

// CheckDir refuses a directory of ours that is a link, or no directory. A missing one gives an error that wraps fs.ErrNotExist.
// Who may reach it is inherited from the user's profile.
func (s Layout) CheckDir(dir string) error {
	var st sys.Stat_t
	if err := sys.Lstat(dir, &st); err != nil {
		return &fs.PathError{Op: "lstat", Path: dir, Err: err}
	}
	is := map[uint32]string{sys.S_IFLNK: "is a link, and whoever can change it gets the logins", sys.S_IFREG: "is not a directory"}
	if what, ok := is[st.Mode&sys.S_IFMT]; ok {
		hint := fmt.Sprintf("move %s %s", say.ShellQuote(dir), say.ShellQuote(dir+".old"))
		return say.WithHint(disk.Unsafe("%s: %s", say.Name(dir), what), hint)
	}
	return nil
}

// CloseDir is [Layout.CheckDir].
func (s Layout) CloseDir(dir string) error { return s.CheckDir(dir) }

// CheckOwnerOf refuses a directory outside of the user's profile.
func (s Layout) CheckOwnerOf(dir string) error { return s.CheckProfile(dir) }
