//go:build unix

package home

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"swop/internal/disk"
)

// hardLinks is false: what is shared is a symbolic link.
const hardLinks = false

// setLinkTime gives a link the [linkTime].
func setLinkTime(d disk.Dir, name string) error {
	return unix.UtimesNanoAt(d.Fd(), name, []unix.Timespec{{Sec: linkTime}, {Sec: linkTime}}, unix.AT_SYMLINK_NOFOLLOW)
}

// inherit gives the sandbox's directory what new entries take from the shared one: its default ACL, its setgid bit and its group. Where the
// file system has neither, new entries have the mode that their program gives them.
func (v *view) inherit() {
	const name = "system.posix_acl_default"
	read := func(d disk.Dir) string {
		text := make([]byte, 1<<12)
		n, err := unix.Fgetxattr(d.Fd(), name, text)
		return string(text[:when(err == nil, n)])
	}
	if acl := read(v.shared); acl != read(v.own) {
		_ = unix.Fsetxattr(v.own.Fd(), name, []byte(acl), 0) // an empty one removes it
	}
	var out, in unix.Stat_t
	if unix.Fstat(v.shared.Fd(), &out) != nil || unix.Fstat(v.own.Fd(), &in) != nil || out.Mode&unix.S_ISGID == in.Mode&unix.S_ISGID {
		return
	}
	_ = unix.Fchown(v.own.Fd(), -1, int(out.Gid))
	_ = unix.Fchmod(v.own.Fd(), uint32(in.Mode)&0o777|uint32(out.Mode)&unix.S_ISGID)
}

// copyData copies the data of a file of this size, but not its holes: by copy_file_range(2) on Linux, which makes a clone where the file
// system can. A copy that cannot fit is not begun: it would fill the disk for a while at each start.
func copyData(out, in *os.File, size int64) error {
	var st unix.Stat_t
	var free unix.Statfs_t
	if err := errors.Join(unix.Fstat(int(in.Fd()), &st), unix.Fstatfs(int(out.Fd()), &free)); err != nil {
		return err
	}
	const block = 512 // st_blocks counts these
	if uint64(st.Blocks)*block > free.Bavail*uint64(free.Bsize) {
		return unix.ENOSPC
	}
	for at := int64(0); at < size; {
		data, err := in.Seek(at, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) { // the rest is a hole
			break
		}
		hole, err2 := in.Seek(data, unix.SEEK_HOLE)
		_, err3 := in.Seek(data, io.SeekStart)
		_, err4 := out.Seek(data, io.SeekStart)
		if err = errors.Join(err, err2, err3, err4); err == nil {
			_, err = io.CopyN(out, in, hole-data)
		}
		if err != nil {
			return err
		}
		at = hole
	}
	return out.Truncate(size)
}
