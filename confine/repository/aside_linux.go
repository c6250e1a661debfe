package repository

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"swop/disk"
)

// chmod changes the mode of a directory, through no link, if that is possible.
func chmod(dir string, perm uint32) {
	if place, err := disk.OpenPlace(dir); err == nil {
		_ = unix.Chmod("/proc/self/fd/"+strconv.Itoa(place), perm) // what nobody can open is told
		_ = unix.Close(place)                                      // nothing was written
	}
}

// mostPath is the length of a path in which there is room for what a repository has: those that are longer than [unix.PathMax] cannot be looked at.
const mostPath = unix.PathMax - 512

// moveUp moves a directory with a path that is too long to the top, and returns where it is then.
func (l *inspection) moveUp(dir string) (to string) {
	from, err := disk.OpenPlace(filepath.Dir(dir))
	if err != nil {
		return "" // another program moves it
	}
	defer unix.Close(from)
	top, err := disk.OpenPlace(l.root)
	if err != nil {
		return ""
	}
	defer unix.Close(top)
	name, err := renameAside(from, filepath.Base(dir), top, "deep")
	if name == "" || err != nil {
		l.failed = append(l.failed, err)
		return ""
	}
	return filepath.Join(l.root, name)
}

// RenameAside renames what is called name in an open directory, and returns its new name; "" if nothing is there.
func RenameAside(dir int, name string) (aside string, err error) {
	return renameAside(dir, name, dir, name)
}

// renameAside also renames what lies in a directory that the session has closed.
func renameAside(from int, name string, to int, base string) (aside string, err error) {
	aside, err = renameNew(from, name, to, base)
	var st unix.Stat_t
	if errors.Is(err, fs.ErrPermission) && unix.Fstat(from, &st) == nil {
		place := "/proc/self/fd/" + strconv.Itoa(from)
		if unix.Chmod(place, st.Mode&0o7777|0o700) == nil {
			aside, err = renameNew(from, name, to, base)
			_ = unix.Chmod(place, st.Mode&0o7777) // its owner may have removed it
		}
	}
	return aside, disk.Ignore(err, fs.ErrNotExist)
}

func renameNew(from int, name string, to int, base string) (aside string, err error) {
	const most, counted, length = 1000, 100, 200
	base = base[:min(len(base), length)] // a name has 255 bytes
	for n := 1; n < most; n++ {
		aside = fmt.Sprintf("%s.unchecked-%d", base, n)
		if n > counted { // somebody has made all of these names
			aside = base + ".unchecked-" + rand.Text()
		}
		err = unix.Renameat2(from, name, to, aside, unix.RENAME_NOREPLACE)
		if disk.NoSuchRename(err) && unix.Fstatat(to, aside, &unix.Stat_t{}, unix.AT_SYMLINK_NOFOLLOW) != nil { // as on NFS
			err = unix.Renameat(from, name, to, aside)
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return "", err
	}
	return aside, nil
}
