//go:build unix

package history

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"swop/manager/account"
	"swop/manager/disk"
	"swop/manager/stamp"
)

// Earlier releases kept versions as displaced/<account>/<time>/<view>/<name>, with a number after the time or the name where there were
// several.
const (
	displacedDir  = "displaced"
	displacedTime = "20060102T150405Z"
)

// TakeOver moves what earlier releases kept to kept/, where it counts as new: nothing is pruned before its owner could see it. What cannot be
// moved is left, and named in the error. Killed anywhere, the next run goes on.
func TakeOver(l account.Layout, root account.Root, now time.Time) error {
	dirs, err := displacedBelow(l, "*", "*", "*")
	if err != nil || len(dirs) == 0 {
		return err
	}
	lock, err := l.LockHome(root.SharedHome.Path) // who displaces a database holds it until the log has followed
	if err != nil {
		return err
	}
	defer lock.Release()
	kept, err := openBelow(l, RootDir)
	if err != nil {
		return err
	}
	defer kept.Close()
	slices.SortStableFunc(dirs, func(a, b string) int {
		return strings.Compare(filepath.Base(filepath.Dir(a)), filepath.Base(filepath.Dir(b)))
	})
	var left []error
	for i, dir := range dirs {
		view, run := filepath.Base(dir), filepath.Dir(dir)
		when, _, _ := strings.Cut(filepath.Base(run), ".")
		at, err := time.Parse(displacedTime, when)
		if err != nil || view != CodexView && view != HomeView {
			continue // not made by us
		}
		about := About{View: view, Account: filepath.Base(filepath.Dir(run)), Time: at, Why: Older}
		left = append(left, takeOver(l, dir, about, kept, now.Add(time.Duration(i))))
		removeEmpty(l, dir)
	}
	return errors.Join(left...)
}

// displacedBelow returns the paths below displaced/ that match the patterns.
func displacedBelow(l account.Layout, patterns ...string) ([]string, error) {
	return filepath.Glob(filepath.Join(append([]string{stamp.Escape(l.Path(displacedDir))}, patterns...)...))
}

// Displaced returns how many files of versions wait to be taken over.
func Displaced(l account.Layout) (int, error) {
	paths, err := displacedBelow(l, "*", "[0-9]*Z*", "*", "*")
	return len(paths), err
}

// takeOver moves the versions in dir to kept/. about describes each of them, but for the path.
func takeOver(l account.Layout, dir string, about About, kept disk.Dir, now time.Time) error {
	d, err := disk.OpenBelow(l.Root, dir)
	if err != nil {
		return disk.Ignore(err, fs.ErrNotExist)
	}
	defer d.Close()
	left := []error{disk.DropCopies(d)} // their originals are in place
	entries, err := d.Entries()
	if err != nil {
		return err
	}
	stuck := map[string]bool{}
	for version, files := range displacedIn(entries) {
		about.Path = version.path
		if err := gather(d, version, about, files); err != nil {
			left = append(left, err)
			stuck[version.gathered()] = true
		}
	}
	if entries, err = d.Entries(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if strings.HasPrefix(name, gatheredPrefix) && !stuck[name] {
			left = append(left, d.Err("rename", name, d.Move(name, kept, NewID(now))))
		}
	}
	return errors.Join(left...)
}

// displacedVersion is a version in one directory of displaced/.
type displacedVersion struct{ path, number string }

// gatheredPrefix begins the names of directories in which a version is gathered before it is moved to kept/.
const gatheredPrefix = ".kept-"

func (v displacedVersion) gathered() string {
	return gatheredPrefix + strconv.FormatUint(disk.Sum(v.path+"/"+v.number), 36)
}

// displacedIn returns the versions among the entries, with their files: the names that these have, and those that they had.
func displacedIn(entries map[string]disk.Entry) map[displacedVersion]map[string]string {
	found := map[displacedVersion]map[string]string{}
	for name := range entries {
		if disk.IsCopy(name) || strings.HasPrefix(name, gatheredPrefix) {
			continue
		}
		v, file := versionOf(name, entries)
		if found[v] == nil {
			found[v] = map[string]string{}
		}
		found[v][name] = file
	}
	return found
}

// versionOf returns the version that the entry called name is of, or belongs to, and the name that it had in the shared home.
func versionOf(name string, entries map[string]disk.Entry) (v displacedVersion, file string) {
	v.path = name
	if at := strings.LastIndexByte(name, '.'); at > 0 {
		_, err := strconv.ParseUint(name[at+1:], 10, 16)
		if _, first := entries[name[:at]]; err == nil && first {
			v.path, v.number = name[:at], name[at:]
		}
	}
	file = v.path
	if own, ok := disk.DatabaseName(file); ok {
		if _, ok := entries[own+v.number]; ok {
			v.path = own
		}
	}
	return v, file
}

// gather moves the files of a version into a directory as those in kept/ are. The entry's own comes last: it tells which version the others
// belong to.
func gather(d disk.Dir, v displacedVersion, about About, files map[string]string) error {
	if err := d.Mkdir(v.gathered()); err != nil {
		return err
	}
	in, err := d.OpenDir(v.gathered())
	if err != nil {
		return err
	}
	defer in.Close()
	if err := errors.Join(rewriteAbout(in.Path, about), in.Mkdir(FilesDir)); err != nil {
		return err
	}
	to, err := in.OpenDir(FilesDir)
	if err != nil {
		return err
	}
	defer to.Close()
	ownLast := func(a, b string) int { return len(files[b]) - len(files[a]) } // the others have endings
	for _, name := range slices.SortedFunc(maps.Keys(files), ownLast) {
		switch err := d.Move(name, to, files[name]); {
		case errors.Is(err, unix.EBUSY):
			return d.Mounted(name)
		case err != nil:
			return d.Err("rename", name, disk.Ignore(err, unix.ENOENT))
		}
	}
	return nil
}

// removeEmpty removes the directory at path and those above it below displaced/, as far as they are empty.
func removeEmpty(l account.Layout, path string) {
	for ; path != l.Path(displacedDir); path = filepath.Dir(path) {
		above, err := disk.OpenBelow(l.Root, filepath.Dir(path))
		if err != nil {
			return
		}
		err = errors.Join(above.Rmdir(filepath.Base(path)), above.Close())
		if err != nil {
			return // it is not empty
		}
	}
}
