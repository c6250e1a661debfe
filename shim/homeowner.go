package shim

import (
	"fmt"
	"io/fs"
	"os"

	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/say"
)

// Owned refuses to work in the home of another user, as under sudo: that user would not own the files that swop makes. On Windows all uids
// are equal.
func (i *Invocation) Owned() error {
	var st sys.Stat_t
	err := sys.Stat(i.Home, &st)
	if err == nil && st.Mode&sys.S_IFMT != sys.S_IFDIR {
		err = sys.ENOTDIR
	}
	if err != nil {
		err = fmt.Errorf("the home directory cannot be used: %w", &fs.PathError{Op: "stat", Path: i.Home, Err: err})
		return say.WithHint(err, `export HOME="/path/to/your/home"`)
	}
	if int(st.Uid) == os.Geteuid() {
		return nil
	}
	err = fmt.Errorf("%w: you are uid %d, but HOME, %s, belongs to uid %d", disk.ErrUnsafe, os.Geteuid(), i.Home, st.Uid)
	return say.WithHint(err, "run codex without sudo, or with SWOP_BYPASS=1")
}
