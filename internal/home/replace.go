package home

import (
	"errors"
	"fmt"
	"time"

	"swop/internal/disk"
	"swop/internal/say"
)

// Each step that takes a name from an entry exchanges the two in one call, so that nobody sees the name missing, and what loses it is in kept/ at that
// moment: killed anywhere, nothing is dropped, and the next run judges again what it finds. Within one file system nothing is synced: its journal
// keeps the order of such calls.

// end says what becomes of an entry that lost its name.
type end bool

const (
	kept    end = true
	dropped end = false // it is the shared file, or has the same contents, or is a link of ours
)

// replace puts the link to the shared entry in the place of the sandbox's entry. Where a program has put another one there meanwhile, that stays.
func (v *view) replace(e entry, as end) error {
	return v.inKept(func(files disk.Dir) error { return v.replaceIn(files, e, as) })
}

func (v *view) replaceIn(files disk.Dir, e entry, as end) error {
	if err := v.newLink(e, files); err != nil {
		return err
	}
	link, err := files.Stat(e.name)
	if err != nil {
		return err
	}
	if err := files.Exchange(e.name, v.own, e.name); err != nil {
		return disk.Undone(v.own.Err("rename", e.name, disk.Changed(err)), files.Unlink(e.name))
	}
	if was, err := files.Stat(e.name); err == nil && was.Same(e.mine) {
		return v.finish(files, e.name, as)
	}
	back := files.Exchange(e.name, v.own, e.name)
	if was, err := files.Stat(e.name); err == nil && was.Same(link) {
		back = errors.Join(back, files.Unlink(e.name))
	}
	return disk.ChangedAfter(back)
}

// newLink makes in files what the sandbox should have.
func (v *view) newLink(e entry, files disk.Dir) error {
	if v.isHard(e) || v.hardLinks && e.there.IsRegular() {
		return disk.Changed(v.shared.Link(e.name, files, e.name))
	}
	return files.Symlink(v.target(e.name), e.name)
}

// finish removes what was dropped. Of directories it removes empty ones.
func (v *view) finish(files disk.Dir, name string, as end) error {
	if i, err := files.Stat(name); err != nil || i.IsDir() {
		_ = files.Rmdir(name) // what has entries is kept
		return err
	}
	if as == dropped {
		return files.Unlink(name)
	}
	return nil
}

// share puts the sandbox's file in the place of the shared one, which goes to kept/.
func (v *view) share(e entry) error {
	return v.inKept(func(files disk.Dir) error {
		err := v.stage(e, files)
		if err == nil {
			err = disk.Changed(files.Exchange(e.name, v.shared, e.name))
		}
		if err != nil {
			return disk.Undone(v.shared.Err("rename", e.name, err), files.Unlink(e.name))
		}
		return v.finish(files, e.name, end(!e.row.Regenerated))
	})
}

// stage gives the sandbox's file a second name in files.
func (v *view) stage(e entry, files disk.Dir) error {
	if e.mine.IsLink() {
		return files.Symlink(e.target, e.name)
	}
	if err := v.own.Link(e.name, files, e.name); err != nil {
		return disk.Changed(err)
	}
	if got, err := files.Stat(e.name); err != nil || !got.Same(e.mine) {
		return disk.ChangedAfter(err)
	}
	return nil
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
		return v.finish(files, name, as)
	})
}

// inKept calls f with a new directory of kept/, which goes if f leaves nothing in it.
func (v *view) inKept(f func(files disk.Dir) error) error {
	d, err := newKept(v.layout.Root, v.Name, v.account.Key, time.Unix(v.now.Unix()))
	if err != nil {
		return err
	}
	return disk.Undone(f(d.files), d.close())
}

// What is said of two versions that both changed.
const (
	sharedKept = "the session's, which was put there later, is used, and the shared one was kept"
	ownKept    = "the shared one, which is later, is used, and the session's was kept"
	apartKept  = "the shared one stays, and the session's was kept"
)

// tell says that two versions changed, at most once a day for a name.
func (v *view) tell(name, what string) {
	path := v.target(name)
	if !toldFirst(v.layout.Root, path, time.Unix(v.now.Unix())) {
		return
	}
	v.say(fmt.Sprintf("%q of account %q: two versions changed: %s; see: codex swop history %s", name, v.account.Meta.Label, what, say.ShellQuote(path)))
}
