package records

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"swop/disk"
)

// Bounds of what [Recent] copies.
const (
	maxRecent      = 64
	maxRecentBytes = 64 << 20
)

// Recent copies the newest transcripts in from, by their dates, into to, where a session that cannot have all of them writes.
func Recent(from, to string) error {
	in, err := disk.Open(from, disk.Follow)
	if err != nil {
		return err
	}
	defer in.Close()
	top := &place{name: to}
	defer top.close()
	c := recent{maxRecent, maxRecentBytes}
	return c.directory(in, top, dated())
}

// recent is what may still be copied.
type recent struct{ files, bytes int64 }

func (c *recent) directory(in disk.Dir, to *place, levels []int) error {
	entries, err := in.Entries()
	var names []string
	for name, entry := range entries {
		if len(levels) == 0 && entry.Mode.IsRegular() && isTranscript(name) || len(levels) > 0 && entry.Mode.IsDir() && isNumber(name, levels[0]) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Backward(names) {
		switch {
		case err != nil || c.files <= 0 || c.bytes <= 0:
			return err
		case len(levels) == 0:
			err = c.file(in, to, name)
		default:
			err = c.below(in, to, name, levels[1:])
		}
	}
	return err
}

func (c *recent) below(in disk.Dir, to *place, name string, levels []int) error {
	d, err := in.OpenDir(name)
	if err != nil {
		return disk.Ignore(err, fs.ErrPermission)
	}
	defer d.Close()
	next := &place{above: to, name: name}
	defer next.close()
	return c.directory(d, next, levels)
}

// file copies a transcript as far as it goes now. One that takes more room than there is left is passed over.
func (c *recent) file(in disk.Dir, to *place, name string) error {
	from, size, err := openRegular(in, name, unix.O_RDONLY)
	if err != nil {
		return nil // codex could not read it either
	}
	defer from.Close()
	if c.bytes < size {
		return nil
	}
	d, err := to.open()
	if err != nil {
		return err
	}
	c.files, c.bytes = c.files-1, c.bytes-size
	out, _, err := openRegular(d, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL)
	if err != nil {
		return disk.Ignore(err, fs.ErrExist) // a start that is tried again
	}
	return errors.Join(appendFrom(out, from, 0, size), sameTime(out, from), out.Close())
}

// sameTime gives out the time of the last change of from, by which codex sorts.
func sameTime(out, from *os.File) error {
	info, err := from.Stat()
	if err != nil {
		return err
	}
	t := unix.NsecToTimeval(info.ModTime().UnixNano())
	return unix.Futimes(int(out.Fd()), []unix.Timeval{t, t})
}
