//go:build unix

package manager

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"swop/config"
)

// folder is an open directory. Its methods take the name of an entry, a single component, and never follow a link at it: what
// another process puts in the way cannot lead outside.
//
// It holds the descriptor itself: an os.File would bring the poller to life, which costs a start of codex more than all listings do.
type folder struct {
	path       string
	descriptor int
}

type followLink bool

const (
	followsLink followLink = true
	refuseLink  followLink = false
)

// openFolder opens the directory at path. A link at its last component is followed only where follow says so: the shared home may
// be a link, a sandbox may not.
func openFolder(path string, follow followLink) (folder, error) {
	flags := unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC
	if follow == refuseLink {
		flags |= unix.O_NOFOLLOW
	}
	fd, err := config.Uninterrupted(func() (int, error) { return unix.Open(path, flags, 0) })
	if err != nil {
		return folder{}, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return folder{withoutSlash(path), fd}, nil
}

// openBelow opens the directory at path, which lies below base. No link is followed on the way from base, which is none itself: what is
// put into a sandbox's place after it was checked cannot lead outside.
func openBelow(base, path string) (folder, error) {
	d, err := openFolder(base, refuseLink)
	for _, name := range strings.Split(strings.Trim(strings.TrimPrefix(path, base), "/"), "/") {
		if err != nil || name == "" {
			return d, err
		}
		var next folder
		next, err = d.sub(name)
		err = errors.Join(err, d.close())
		d = next
	}
	return d, err
}

// withoutSlash returns path without slashes at its end: links are told by the text before their last slash.
func withoutSlash(path string) string {
	if short := strings.TrimRight(path, "/"); short != "" {
		return short
	}
	return "/"
}

// sub opens the directory called name in d.
func (d folder) sub(name string) (folder, error) {
	fd, err := config.Uninterrupted(func() (int, error) {
		return unix.Openat(d.fd(), name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return folder{}, d.fail("open", name, err)
	}
	return folder{filepath.Join(d.path, name), fd}, nil
}

func (d folder) close() error { return d.fail("close", "", unix.Close(d.descriptor)) }
func (d folder) sync() error  { return d.fail("sync", "", unix.Fsync(d.descriptor)) }
func (d folder) fd() int      { return d.descriptor }

func (d folder) fail(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: Shown(filepath.Join(d.path, name)), Err: err}
}

// dirent is an entry as the listing of its directory tells it.
type dirent struct {
	mode fs.FileMode // its type bits: fs.ModeIrregular for all that is no file, directory or link
	ino  uint64
}

// entries returns what the directory holds, by name.
func (d folder) entries() (map[string]dirent, error) {
	if err := d.rewind(); err != nil {
		return nil, err
	}
	byName := map[string]dirent{}
	err := d.each(func(name string, entry dirent) error {
		byName[name] = entry
		return nil
	})
	return byName, err
}

// mark returns what tells whether the directory itself changes from now on.
func (d folder) mark() (mark, error) {
	var st unix.Stat_t
	if err := unix.Fstat(d.fd(), &st); err != nil {
		return mark{}, d.fail("stat", "", err)
	}
	return markOf(&st), nil
}

// item is what an entry is: its identity, and what changes when it is written.
type item struct {
	mode         uint32 // type and permissions; 0: there is no such entry
	dev, ino     uint64
	size         int64
	mtime, ctime unix.Timespec
	links        uint64
}

func (i item) exists() bool    { return i.mode != 0 }
func (i item) kind() uint32    { return i.mode & unix.S_IFMT }
func (i item) isLink() bool    { return i.kind() == unix.S_IFLNK }
func (i item) isDir() bool     { return i.kind() == unix.S_IFDIR }
func (i item) isRegular() bool { return i.kind() == unix.S_IFREG }

// fileMode is the type, in the form of a listing.
func (i item) fileMode() fs.FileMode {
	switch {
	case i.isRegular():
		return 0
	case i.isDir():
		return fs.ModeDir
	case i.isLink():
		return fs.ModeSymlink
	}
	return fs.ModeIrregular
}

// movable reports whether an entry of this kind has contents that can be moved; a socket, FIFO or device has not.
func (i item) movable() bool { return i.isRegular() || i.isDir() || i.isLink() }

// same reports whether both are one file, whatever was written to it between.
func (i item) same(other item) bool {
	return i.exists() && i.dev == other.dev && i.ino == other.ino && i.kind() == other.kind()
}

// unwritten reports whether both are one file that was not written between.
func (i item) unwritten(other item) bool {
	return i.same(other) && i.size == other.size && i.mtime == other.mtime
}

// stat returns the entry called name; one that is not there is not an error.
func (d folder) stat(name string) (item, error) {
	var st unix.Stat_t
	err := unix.Fstatat(d.fd(), name, &st, unix.AT_SYMLINK_NOFOLLOW)
	if errors.Is(err, unix.ENOENT) {
		return item{}, nil
	}
	if err != nil {
		return item{}, d.fail("stat", name, err)
	}
	return itemOf(&st), nil
}

// readlink returns the target of the link called name, "" if there is no link.
func (d folder) readlink(name string) (string, error) {
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(d.fd(), name, buf)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOENT) {
		return "", nil
	}
	if err != nil {
		return "", d.fail("readlink", name, err)
	}
	return string(buf[:n]), nil
}

// symlink makes a link; one that is there already, whatever it is, stays and is no error: the next look judges it.
func (d folder) symlink(target, name string) error {
	err := unix.Symlinkat(target, d.fd(), name)
	if errors.Is(err, unix.EEXIST) {
		return nil
	}
	return d.fail("symlink", name, err)
}

// unlink removes an entry that is no directory; one that is gone already is no error.
func (d folder) unlink(name string) error {
	err := unix.Unlinkat(d.fd(), name, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	return d.fail("unlink", name, err)
}

// rmdir removes an empty directory.
func (d folder) rmdir(name string) error {
	return d.fail("rmdir", name, unix.Unlinkat(d.fd(), name, unix.AT_REMOVEDIR))
}

// mkdir makes a directory, owner-only; one that is there already is no error.
func (d folder) mkdir(name string) error {
	err := unix.Mkdirat(d.fd(), name, 0o700)
	if errors.Is(err, unix.EEXIST) {
		return nil
	}
	if err == nil {
		err = d.ownDir(name)
	}
	return d.fail("mkdir", name, err)
}

// link gives the file called name a second name. The error is the bare errno, for the caller to judge.
func (d folder) link(name string, to folder, toName string) error {
	return unix.Linkat(d.fd(), name, to.fd(), toName, 0)
}

// replace renames over what is there.
func (d folder) replace(name string, to folder, toName string) error {
	return to.fail("rename", toName, unix.Renameat(d.fd(), name, to.fd(), toName))
}

// move renames an entry to a name that is free. The error is the bare errno, EEXIST where it is not free.
func (d folder) move(name string, to folder, toName string) error {
	err := renameNoReplace(d.fd(), name, to.fd(), toName)
	if !noSuchRename(err) {
		return err
	}
	// A file system without RENAME_NOREPLACE: link(2) does not replace either, but links no directories.
	err = d.link(name, to, toName)
	if err == nil {
		if err := d.unlink(name); err != nil {
			return undone(err, to.unlink(toName))
		}
		return nil
	}
	if !errors.Is(err, unix.EPERM) {
		return err
	}
	if there, err := to.stat(toName); err != nil || there.exists() {
		return errors.Join(err, unix.EEXIST)
	}
	return unix.Renameat(d.fd(), name, to.fd(), toName)
}

// exchange swaps two entries at once. Where the file system cannot, it takes three renames; killed between them, or where a program makes
// a new entry under one of the two names meanwhile, one of them is left under a name of [asideName], and folded back by the next run.
func (d folder) exchange(name string, to folder, toName string) error {
	err := renameExchange(d.fd(), name, to.fd(), toName)
	if !noSuchRename(err) {
		return err
	}
	of, aside := asideOf(name)
	if !aside {
		of = name
	}
	tmp := asideName(of)
	if err := unix.Renameat(d.fd(), name, d.fd(), tmp); err != nil {
		return err
	}
	if aside { // a name that no program knows
		err = unix.Renameat(to.fd(), toName, d.fd(), name)
	} else {
		err = to.move(toName, d, name)
	}
	if err != nil {
		return undone(err, d.move(tmp, d, name))
	}
	err = d.move(tmp, to, toName)
	if err == nil || errors.Is(err, unix.EEXIST) {
		return nil
	}
	undo := d.move(name, to, toName)
	if undo == nil {
		undo = d.move(tmp, d, name)
	}
	return undone(err, undo)
}

// noSuchRename reports whether the kernel or the file system does not know a rename with flags.
func noSuchRename(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP)
}

// asidePrefix begins the names of entries that are being replaced. The name of the entry follows, so that a run that was killed
// can be completed. copyPrefix begins those of copies that are not whole yet: their originals are where they were.
const (
	asidePrefix = ".swop-x-"
	copyPrefix  = ".swop-c-"
)

// asideRandom is the length of the random part.
const asideRandom = 26

// nameMax is the longest name of an entry (NAME_MAX).
const nameMax = 255

func asideName(name string) string {
	if len(asidePrefix)+asideRandom+1+len(name) > nameMax {
		name = "" // only this run knows what it is; a later one keeps it under displaced/
	}
	return asidePrefix + randomName() + "-" + name
}

func copyName() string { return copyPrefix + randomName() }

// asideOf returns the name of the entry that was put aside under this name, and whether it is such a name.
func asideOf(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, asidePrefix)
	if !ok || len(rest) <= asideRandom || rest[asideRandom] != '-' {
		return "", false
	}
	return rest[asideRandom+1:], true
}

// isCopy reports whether the name is that of a copy that was not finished.
func isCopy(name string) bool {
	rest, ok := strings.CutPrefix(name, copyPrefix)
	return ok && len(rest) == asideRandom
}
