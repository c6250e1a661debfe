package account

import (
	"fmt"

	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/say"
)

// Check refuses a shared home that is not the one recorded: missing, or with neither its device nor its inode (an unmounted disk
// shows the empty directory below it). One of the two may change: device numbers do with a restart, inodes with a restored backup.
func (r Root) Check() error {
	var st sys.Stat_t
	if err := sys.Stat(r.SharedHome.Path+"/", &st); err != nil {
		return r.lost(fmt.Sprintf("the shared home %q cannot be read: %v", r.SharedHome.Path, err))
	}
	if uint64(st.Dev) != r.SharedHome.Device && st.Ino != r.SharedHome.Inode {
		return r.lost(fmt.Sprintf("the shared home %q is another directory than the accounts share, on another device", r.SharedHome.Path))
	}
	return nil
}

func (r Root) lost(text string) error {
	return say.WithHint(disk.Unsafe("%s", text), "mount the disk it is on, or if it moved: codex swop doctor --shared-home DIR")
}
