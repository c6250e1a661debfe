package home

import (
	"cmp"
	"errors"
	"fmt"

	"swop/internal/disk"
	"swop/internal/home/rules"
	"swop/internal/say"
)

// Each step that takes a name from an entry exchanges the two in one call, so that nobody sees the name missing, and what loses it is in
// kept/ at that moment: killed anywhere, nothing is dropped, and the next run judges again what it finds. Within one file system nothing is
// synced: its journal keeps the order of such calls.

// end says what becomes of an entry that lost its name.
type end uint8

const (
	kept    end = iota
	told        // kept, and swop says so: both homes had changed
	dropped     // removed: the entry is the shared file, or a link of ours
)

// replace puts the link to the shared entry in the place of the sandbox's entry, or at its name where the sandbox has none.
func (v *view) replace(e entry, as end) error {
	return v.exchange(v.own, e.name, e.mine, as, func(files disk.Dir) error { return v.newLink(e, files) })
}

// newLink makes the link to the shared entry, or its second name, in files, from where it gets to its name with its time.
func (v *view) newLink(e entry, files disk.Dir) error {
	if e.isHard() || v.hardLinks && e.there.IsRegular() {
		return disk.Changed(v.shared.Link(e.name, files, e.name))
	}
	err := files.Symlink(v.target(e.name), e.name)
	_ = setLinkTime(files, e.name) // where the file system cannot, each of ours that gets another name counts as the user's
	return err
}

// linkTime is when all links of ours were modified, as they say, by which they are known: cp -a, tar and rsync -a keep that, ln does not.
const linkTime = 1_000_000_000

// share puts the sandbox's file in the place of the shared one.
func (v *view) share(e entry, as end) error {
	return v.exchange(v.shared, e.name, e.there, as, func(files disk.Dir) error {
		if e.mine.IsLink() {
			return files.Symlink(e.target, e.name)
		}
		if err := v.own.Link(e.name, files, e.name); err != nil {
			return files.Err("link", e.name, disk.Changed(err))
		}
		got, err := files.Stat(e.name)
		if err == nil && !got.Same(e.mine) { // it was replaced meanwhile
			err = cmp.Or(files.Unlink(e.name), disk.ErrChanged)
		}
		return err
	})
}

// exchange swaps a known entry of dir, or none, with the one that put makes in a new directory of kept/. An entry that another program has
// put there meanwhile stays, and ours goes.
func (v *view) exchange(dir disk.Dir, name string, known disk.Stat, as end, put func(files disk.Dir) error) error {
	return v.inKept(func(files disk.Dir) error {
		if err := put(files); err != nil {
			return err
		}
		if !known.Exists() {
			return errors.Join(disk.Changed(files.Move(name, dir, name)), files.Unlink(name))
		}
		ours, err := files.Stat(name)
		if err != nil {
			return err
		}
		err = files.Exchange(name, dir, name)
		was, _ := files.Stat(name)
		if err == nil && was.Same(known) {
			return v.finish(dir, files, name, as)
		}
		if err == nil {
			err = cmp.Or(files.Exchange(name, dir, name), disk.ErrChanged)
			was, _ = files.Stat(name)
		}
		if was.Same(ours) { // an entry of dir that stays here, as after half of an exchange in steps, is kept
			err = errors.Join(err, files.Unlink(name))
		}
		return dir.Err("rename", name, disk.Changed(err))
	})
}

// take moves a known entry to kept/. An entry that came in its place meanwhile goes back.
func (v *view) take(from disk.Dir, name string, known disk.Stat, as end) error {
	return v.inKept(func(files disk.Dir) error {
		if err := from.Take(name, files, name); err != nil {
			return from.Err("rename", name, disk.Changed(err))
		}
		if got, err := files.Stat(name); err != nil || !got.Same(known) {
			return cmp.Or(errors.Join(err, disk.Changed(files.Move(name, from, name))), disk.ErrChanged)
		}
		return v.finish(from, files, name, as)
	})
}

// finish removes a dropped entry and an empty directory. Of a kept version that is to be told, it says that both homes had changed.
func (v *view) finish(dir, files disk.Dir, name string, as end) error {
	switch i, _ := files.Stat(name); { // an entry without stat is kept
	case i.IsDir() && files.Rmdir(name) == nil:
	case as == told:
		v.tell(dir, name)
	case as == dropped && i.Exists() && !i.IsDir():
		return files.Unlink(name)
	}
	return nil
}

// inKept calls f with a new directory of kept/: the entry that f leaves there is a version.
func (v *view) inKept(f func(files disk.Dir) error) error {
	return inKept(v.Store.Root, when(v.Name == rules.CodexView, keptCodex), v.account.Key, f)
}

// tell says that there are two versions of an entry, and that the one in dir is kept.
func (v *view) tell(dir disk.Dir, name string) {
	what := "shared one is used, and the session's was kept"
	if dir == v.shared {
		what = "session's is used, and the shared one was kept"
	}
	v.Say(fmt.Sprintf("%q of account %q has two versions: the %s; see: codex swop history %s",
		name, v.account.Meta.Label, what, say.ShellQuote(v.target(name))))
}
