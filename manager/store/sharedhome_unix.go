//go:build unix

package store

import (
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"swop/manager/account"
	"swop/manager/disk"
)

// MoveSharedHome makes dir the codex home that all accounts share; the files themselves are the caller's to move. The caller holds
// every account exclusively, and reconciles them afterwards.
func (s Store) MoveSharedHome(root account.Root, dir string) (account.Root, error) {
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return root, &os.PathError{Op: "stat", Path: dir, Err: err}
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return root, fmt.Errorf("%s: is not a directory", dir)
	}
	if err := s.CheckOwner(dir, &st); err != nil {
		return root, err
	}
	if err := s.checkApart(dir); err != nil {
		return root, err
	}
	if root.SharedHome.Path != dir {
		root.Former = append(slices.Clone(root.Former), disk.WithoutSlash(root.SharedHome.Path))
	}
	root.SharedHome = account.SharedHome{Path: dir, Device: uint64(st.Dev), Inode: st.Ino}
	return root, disk.WriteFile(s.Path(account.RootFile), root.Text())
}
