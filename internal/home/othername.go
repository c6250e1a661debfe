package home

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"swop/internal/disk"
	"swop/internal/home/rules"
	"swop/internal/say"
)

// What a session did with a link of ours is done outside at rest, as the session did it. A link at another name than its own was moved
// there if the account has no link to the entry at its own name: the shared entry is renamed. Of two, as after mv and cp -a, the first was
// moved. Else the link was copied, and becomes a file of the sandbox's own, which is shared as any other is. All copies are made first, and
// as long as one waits, the entry that it is of stays as it is. So a swap of two names comes out right in any order, and a run that is
// killed anywhere leaves links for the next one. Nobody copies a directory: a link that was copied stays, and then the directory does, too.

// place is a name in a view.
type place struct {
	view *view
	name string
}

// source is the shared entry that a link of ours at another name leads to.
type source struct {
	place // its view is nil where the entry is no link of ours at another name
	is    disk.Stat
	fault fault // what the session did; none where it copied a directory's link, which stays: nobody copies the directory
}

// sourceOf returns the source of an entry, if it is a link of ours at another name.
func (e entry) sourceOf() (s source, err error) {
	v := e.view
	if s.place = e.placeOf(); s.view == nil || s.place == e.place || e.row.Class == rules.Ignored || v.isLog(e.name) {
		return source{}, nil
	}
	s.is, err = s.view.shared.Stat(s.name)
	own, err2 := s.view.own.Stat(s.name)
	target, err3 := s.view.own.Readlink(s.name)
	linked := s.view.leadsTo(target) == s.name || v.hardLinks && own.Same(s.is)
	switch {
	case errors.Join(err, err2, err3) != nil:
		return s, disk.ErrChanged
	case !linked && v.led[s.place] == 0 && (!own.Exists() || s.is.IsDir()) && e.row.Class.Shared() && v.device == s.view.device:
		s.fault = movedLink // of a directory also where another took its name: a file would be missing for a moment
	case e.there.Exists(), !s.is.IsDir():
		s.fault = copiedLink
	}
	return s, nil
}

// placeOf returns the place of the shared entry that a link of ours leads to, of no view for all else: a link with another text is the
// user's, and so is one that was made later than ours are.
func (e entry) placeOf() place {
	v := e.view
	p := v.inodes[e.mine.Ino]
	if p.view != nil && p.view.device == e.mine.Dev && p.view.last(p.name).Ino == e.mine.Ino && !e.mine.Same(e.there) {
		return p
	}
	isOurs := filepath.IsAbs(e.target) && (hardLinks || e.mine.Mtime.Sec == linkTime)
	for _, from := range v.views {
		if name := from.leadsTo(e.target); isOurs && name != "" && from.rowOf(name).Class.Linked() {
			return place{from, name}
		}
	}
	return place{}
}

// next returns the entries, of those that were not tried, that are repaired before the next look: the moved links whose copies are made, a
// move onto a name that is itself moved after that name's move (a ring of moves begins anywhere), then all others, links after what they
// lead to: see relink. An entry to which a link at another name leads waits with that link.
func (e *engine) next(found []entry, tried map[place]bool) []entry {
	var moves, behind, others, links []entry
	for _, f := range found {
		moved := f.fault == movedLink && e.led[f.source.place] == 1
		led := e.led[f.place]
		switch free := led == 0 || led > 1 && f.there.IsDir(); {
		case tried[f.place]:
		case moved && free:
			moves = append(moves, f)
		case moved && behind == nil:
			behind = []entry{f}
		case f.fault == movedLink, f.fault == copiedLink && !f.source.is.IsDir(), !free && f.err == nil:
		case f.mine.IsLink():
			links = append(links, f)
		default:
			others = append(others, f)
		}
	}
	for _, list := range [][]entry{moves, behind, others, links} {
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// redo does outside what the session did with a link of ours. It says why an entry does not get the link's name.
func (v *view) redo(e entry) (err error) {
	of, moved, lost := e.source, e.fault == movedLink, ""
	both := e.isNewer() || moved && e.isUnread()
	unopened, known := of.view.shared.Unopened(of.name)
	switch {
	case !of.is.Exists() && (!e.there.Exists() || !e.row.Class.Shared()):
		lost, err = "is not there", v.take(v.own, e.name, e.mine, dropped)
	case !of.is.Exists(), e.isOverruled() && e.row.Class.Shared(): // a run has moved it, or the other stays
		return v.replace(e, dropped)
	case !moved && of.is.IsDir(), moved && e.there.IsDir():
		lost, err = "cannot take your directory's place", v.replace(e, dropped) // it leads to its own name again
	case of.view.isDatabase(of.name) && (of.view.hasLog(of.name) || known && !unopened): // all are renamed together or not at all
		return disk.Unsafe("the database is open, or has a log")
	case moved:
		err = v.moveShared(e, of.view.shared, of.name, of.is)
	default:
		err = v.copyOwn(e)
	}
	switch {
	case err != nil:
	case lost != "":
		v.Say(fmt.Sprintf("%q of account %q was a link to %s, which %s", e.name, v.account.Meta.Label, say.Name(e.target), lost))
	case both:
		v.tell(v.shared, e.name)
	}
	return err
}

// moveShared moves what is called x in from to the name in the shared home, and keeps an entry that has it.
func (v *view) moveShared(e entry, from disk.Dir, x string, i disk.Stat) (err error) {
	if e.there.Exists() {
		err = v.take(v.shared, e.name, e.there, kept)
	}
	if err == nil {
		err = from.Err("rename", x, disk.Changed(from.Move(x, v.shared, e.name)))
	}
	if err != nil {
		return err
	}
	e.noteSaved(i)
	return v.replace(v.look(e.name), dropped)
}

// copyOwn puts a copy of the shared entry in the link's place.
func (v *view) copyOwn(e entry) error {
	of := e.source
	return v.exchange(v.own, e.name, e.mine, dropped, func(files disk.Dir) error {
		tmp := disk.TempName() // a part of a copy is no version
		slow := time.AfterFunc(time.Second, func() { v.Say("copying " + say.ShellQuote(of.view.target(of.name)) + ", as a session did") })
		err := copyFile(of.view.shared, of.name, filepath.Join(files.Path, tmp))
		slow.Stop()
		if err == nil {
			return files.Move(tmp, files, e.name)
		}
		return errors.Join(err, files.Unlink(tmp))
	})
}
