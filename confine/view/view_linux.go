// Package view makes the codex home of a confined session: which entries it has, and how, is a column of the table in package rules.
package view

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/config"
	"swop/confine/mountns"
	"swop/disk"
	"swop/home/rules"
)

// maxCopy bounds what is copied into a view: a larger file is mounted read-only.
const maxCopy = 16 << 20

// View is the codex home of one session: a directory of its own, with entries of the host's codex homes mounted into it.
type View struct {
	Dir     string
	Entries []Entry
	copied  []Entry
	Empty   string // a file beside Dir, on whose other names files are mounted: they cannot be seen, and a link costs less than a file
}

// Entry is a file or directory of the host that is mounted into a view.
type Entry struct {
	Name   string
	Source string
	Kind   mountns.Kind
	isDir  bool
}

// Homes are the codex homes of the host that a view is made of.
type Homes struct {
	account.Account
	SharedHome string
	Settings   config.Settings
}

// Place returns what the account's unconfined sessions have under this name.
func (h Homes) Place(name string) string { return h.places()(name) }

func (h Homes) places() func(name string) string {
	_, private := h.Settings.For(h.Key)
	list := rules.CodexHomeRules(private.CodexHome, h.Meta.State).Sharing(private.Shared)
	return func(name string) string {
		if list.Class(name) == rules.Private {
			return filepath.Join(h.CodexHome(), name)
		}
		return filepath.Join(h.SharedHome, name)
	}
}

// Plan finds out what the view has.
func (v *View) Plan(h Homes) (err error) {
	if h.SharedHome, err = disk.RealPath(h.SharedHome); err != nil {
		return err
	}
	if h.Dir, err = disk.RealPath(h.Dir); err != nil {
		return err
	}
	for _, row := range rules.Confinable(rules.Recorded) {
		if err := os.Mkdir(h.Place(row.Pattern), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	shared, err := Names(h.SharedHome)
	private, privateErr := Names(h.CodexHome())
	if err := errors.Join(err, privateErr); err != nil {
		return err
	}
	all, place := slices.Sorted(slices.Values(append(shared, private...))), h.places()
	for _, name := range slices.Compact(all) {
		if err := v.add(name, place(name)); err != nil {
			return err
		}
	}
	return nil
}

// Make fills the view, whose directory is empty. What the account's confined sessions have together is in own; links are those of earlier views.
func (v *View) Make(own, links string) error {
	if err := os.Mkdir(filepath.Join(v.Dir, Own), 0o700); err != nil {
		return err
	}
	for _, row := range rules.Confinable(rules.Own) {
		if err := linkOwn(row, own, links, v.Dir); err != nil {
			return err
		}
	}
	for _, e := range v.copied {
		if err := copyFile(e.Source, filepath.Join(v.Dir, e.Name)); err != nil {
			return err
		}
	}
	for _, e := range v.Entries {
		at, err := filepath.Join(v.Dir, e.Name), error(nil)
		if e.isDir {
			err = os.Mkdir(at, 0o700)
		} else {
			err = os.Link(v.Empty, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Own is what the view shows what is the account's confined sessions' own as.
const Own = ".confined"

// linkOwn leads from an entry of the view to the one in own, as an account's home leads to what is shared. The symbolic link is a second name of an earlier
// view's: a file system may need long to make one, among many that were removed.
func linkOwn(row rules.Rule, own, links, view string) error {
	name := row.Pattern
	at, kept := filepath.Join(view, name), filepath.Join(links, name)
	switch row.Class {
	case rules.HardLink:
		_ = os.Link(filepath.Join(own, name), at) // there may be none, or whatever a session put there
		return nil
	case rules.LinkedDir:
		if err := os.Mkdir(filepath.Join(own, name), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if os.Link(kept, at) == nil {
		return nil
	}
	err := os.Symlink(filepath.Join(Own, name), at)
	_ = os.Link(at, kept) // where there are no such links, each view has its own
	return err
}

// add gives the view an entry. What is gone, or neither file nor directory, is left out.
func (v *View) add(name, source string) error {
	use := rules.InConfinement(name)
	if use == rules.Fresh || use == rules.Own || disk.IsCopy(name) {
		return nil
	}
	info, err := os.Lstat(source)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if source, err = disk.RealPath(source); err == nil {
			info, err = os.Stat(source)
		}
	}
	if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		return nil
	}
	e := Entry{name, source, mountns.Readonly, info.IsDir()}
	switch {
	case use == rules.Copied && info.Mode().IsRegular() && info.Size() <= maxCopy:
		v.copied = append(v.copied, e)
		return nil
	case use != rules.Recorded && info.IsDir():
		if list, err := Names(source); err != nil || len(list) == 0 {
			return err // one that is missing says no less, and each costs time
		}
	case use == rules.Recorded:
		e.Kind = mountns.Overlay
	}
	if use == rules.Writable {
		e.Kind = mountns.Writable
	}
	v.Entries = append(v.Entries, e)
	return nil
}

func copyFile(from, to string) error {
	text, err := disk.ReadFile(from, unix.O_NOFOLLOW, maxCopy)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, []byte(text), 0o600)
}

// Names returns what a directory holds; a missing one holds nothing.
func Names(dir string) (list []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		list = append(list, entry.Name())
	}
	return list, disk.Ignore(err, fs.ErrNotExist)
}

// TakeOwn takes from the directory of a view the files that codex made or replaced there and that are the confined sessions' own; and removes what it removed.
func TakeOwn(dir, own string) (failed error) {
	for _, row := range rules.Confinable(rules.Own) {
		at, to := filepath.Join(dir, row.Pattern), filepath.Join(own, row.Pattern)
		here, err := disk.Lstat(at)
		switch {
		case err != nil:
		case here.IsRegular():
			err = disk.Ignore(os.Rename(at, to), unix.EISDIR) // a second name of the same file goes with the view
		case !here.Exists() && row.Class == rules.HardLink:
			err = disk.Ignore(os.Remove(to), fs.ErrNotExist)
		}
		failed = errors.Join(failed, err)
	}
	return failed
}
