package home

import (
	"errors"
	"fmt"
	"time"

	"swop/internal/disk"
	"swop/internal/say"
)

// Each step that takes a name from an entry exchanges the two in one call, so that nobody sees the name missing, and what loses it is in
// kept/ at that moment: killed anywhere, nothing is dropped, and the next run judges again what it finds. Within one file system nothing is
// synced: its journal keeps the order of such calls.

// end says what becomes of an entry that lost its name.
type end bool

const (
	kept    end = true
	dropped end = false // it is the shared file, or a link of ours, or codex makes it again
)

// replace puts the link to the shared entry in the place of the sandbox's entry.
func (v *view) replace(e entry, as end) error {
	return v.exchange(v.own, e.name, e.mine, as, func(files disk.Dir) error { return v.newLink(e, files) })
}

// newLink makes in files what the sandbox should have.
func (v *view) newLink(e entry, files disk.Dir) error {
	if v.isHard(e) || v.hardLinks && e.there.IsRegular() {
		return disk.Changed(v.shared.Link(e.name, files, e.name))
	}
	return files.Symlink(v.target(e.name), e.name)
}

// share puts the sandbox's file in the place of the shared one, which goes to kept/. It says so where both had changed.
func (v *view) share(e entry, both bool) error {
	as := end(!e.row.Regenerated)
	err := v.exchange(v.shared, e.name, e.there, as, func(files disk.Dir) error { return v.stage(e, files) })
	if err == nil && both && as == kept {
		v.tell(e.name, "session's is used, and the shared one was kept")
	}
	return err
}

// stage gives the sandbox's file a second name in files.
func (v *view) stage(e entry, files disk.Dir) error {
	if e.mine.IsLink() {
		return files.Symlink(e.target, e.name)
	}
	if err := v.own.Link(e.name, files, e.name); err != nil {
		return v.own.Err("link", e.name, disk.Changed(err))
	}
	if got, err := files.Stat(e.name); err != nil || !got.Same(e.mine) {
		return disk.Undone(disk.ChangedAfter(err), files.Unlink(e.name))
	}
	return nil
}

// exchange swaps an entry of dir, which is known, with what put makes in a new directory of kept/. Where a program has put another one
// there meanwhile, that stays.
func (v *view) exchange(dir disk.Dir, name string, known disk.Stat, as end, put func(files disk.Dir) error) error {
	return v.inKept(func(files disk.Dir) error {
		if err := put(files); err != nil {
			return err
		}
		ours, err := files.Stat(name)
		if err != nil {
			return err
		}
		if err := files.Exchange(name, dir, name); err != nil {
			return disk.Undone(dir.Err("rename", name, disk.Changed(err)), files.Unlink(name))
		}
		if was, err := files.Stat(name); err == nil && was.Same(known) {
			return finish(files, name, as)
		}
		back := files.Exchange(name, dir, name)
		if was, err := files.Stat(name); err == nil && was.Same(ours) {
			back = errors.Join(back, files.Unlink(name))
		}
		return disk.ChangedAfter(back)
	})
}

// take moves an entry that is known to kept/. Another one that came meanwhile goes back.
func (v *view) take(from disk.Dir, name string, known disk.Stat, as end) error {
	return v.inKept(func(files disk.Dir) error {
		if err := from.Move(name, files, name); err != nil {
			return from.Err("rename", name, disk.Changed(err))
		}
		if got, err := files.Stat(name); err != nil || !got.Same(known) {
			return disk.ChangedAfter(errors.Join(err, disk.Changed(files.Move(name, from, name))))
		}
		return finish(files, name, as)
	})
}

// finish removes what was dropped. Of directories it removes empty ones.
func finish(files disk.Dir, name string, as end) error {
	if i, err := files.Stat(name); err != nil || i.IsDir() {
		_ = files.Rmdir(name) // what has entries is kept
		return err
	}
	if as == dropped {
		return files.Unlink(name)
	}
	return nil
}

// inKept calls f with a new directory of kept/, which goes if f leaves nothing in it.
func (v *view) inKept(f func(files disk.Dir) error) error {
	d, err := newKept(v.layout.Root, v.Name, v.account.Key, time.Unix(v.now.Unix()))
	if err != nil {
		return err
	}
	defer d.close()
	return f(d.files)
}

// tell says that two versions changed, at most once a day for a name.
func (v *view) tell(name, what string) {
	path := v.target(name)
	if !toldFirst(v.layout.Root, path, time.Unix(v.now.Unix())) {
		return
	}
	v.say(fmt.Sprintf("%q of account %q: two versions changed: the %s; see: codex swop history %s", name, v.account.Meta.Label, what, say.ShellQuote(path)))
}
