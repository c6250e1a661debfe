package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"swop/confine/view"
	"swop/disk"
	"swop/home/rules"
	"swop/say"
)

// A session can write what the account's confined sessions have together, and its codex home: it could leave there what no later session can use.

// openUp makes a directory accessible again that a session may have closed. A missing one is no error.
func openUp(path string) error {
	above, err := disk.Open(filepath.Dir(path), disk.NoFollow)
	if err != nil {
		return err
	}
	defer above.Close()
	d, err := above.Enter(filepath.Base(path))
	if err != nil {
		return disk.Ignore(err, disk.ErrChanged)
	}
	return d.Close()
}

// repairOwn makes what the account's confined sessions have together usable: what has the wrong type is moved to what was refused. What the table of
// entries does not name is a file, as databases are.
func (r *Request) repairOwn() error {
	if err := openUp(r.own()); err != nil {
		return err
	}
	own, err := disk.Open(r.own(), disk.NoFollow)
	if err != nil {
		return err
	}
	defer own.Close()
	names, err := view.Names(r.own())
	failed := []error{err}
	for _, name := range names {
		isDir := slices.ContainsFunc(rules.Confinable(rules.Own), func(row rules.Rule) bool { return row.Pattern == name && row.Class == rules.LinkedDir })
		failed = append(failed, r.repair(own, name, isDir))
	}
	return errors.Join(failed...)
}

func (r *Request) repair(own disk.Dir, name string, wantsDir bool) error {
	here, err := own.Stat(name)
	if err != nil || !here.Exists() {
		return err
	}
	if here.IsDir() {
		err = openUp(filepath.Join(own.Path, name)) // else it could not be moved either
	}
	switch {
	case err != nil, wantsDir && here.IsDir():
		return err
	case !wantsDir && here.IsRegular():
		if here.Perm()&0o600 == 0o600 {
			return nil
		}
		return openUpFile(own, name)
	}
	return r.refuseOwn(own, name)
}

// openUpFile lets the user read and write a regular file again.
func openUpFile(in disk.Dir, name string) error {
	place, err := unix.Openat(in.Fd(), name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return in.Err("open", name, disk.Ignore(err, unix.ENOENT))
	}
	defer unix.Close(place)
	var st unix.Stat_t
	if err := unix.Fstat(place, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return in.Err("stat", name, err)
	}
	return in.Err("chmod", name, unix.Chmod("/proc/self/fd/"+strconv.Itoa(place), 0o600))
}

// refuseOwn moves an entry of the wrong type to what was refused, and tells the user.
func (r *Request) refuseOwn(own disk.Dir, name string) error {
	top := filepath.Join(r.confined(), refused)
	if err := disk.MakeDirs(top); err != nil {
		return err
	}
	kept, err := os.MkdirTemp(top, "own-")
	if err != nil {
		return err
	}
	to, err := disk.Open(kept, disk.NoFollow)
	if err != nil {
		return err
	}
	defer to.Close()
	if err := own.Replace(name, to, name); err != nil {
		return errors.Join(disk.Ignore(err, unix.ENOENT), os.Remove(kept))
	}
	r.Tell(fmt.Sprintf("refused %s of a confined session: it has the wrong type; kept in %s", say.Name(name), say.ShellQuote(kept)))
	return nil
}
