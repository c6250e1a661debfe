package home

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"swop/internal/disk"
	"swop/internal/home/rules"
)

// entry is a name in a home, and what both sides have under it.
type entry struct {
	place
	row         rules.Rule // of a pinned entry a private one
	mine, there disk.Stat
	target      string // of the link in the sandbox
	source      source // of a link of ours at another name
	fault       fault
	err         error // of the look
}

// fault is what is wrong with an entry.
type fault uint8

const (
	none       fault = iota
	wrongLink        // a link of ours, or a second name, must be removed, or lead elsewhere
	noLink           // the sandbox lacks the entry
	twoNames         // a hard-linked file lacks one of its names, or they are two files
	ownEntry         // the sandbox has an entry of its own in the place of a link
	movedLink        // a session moved a link of ours to a name that is not its own
	copiedLink       // a session copied it there
)

// scan returns the entries of all views that are not as they should be. It changes nothing.
func (e *engine) scan() (found []entry, err error) {
	e.led, e.sees, e.inodes = map[place]int{}, seen{}, map[uint64]place{}
	if e.asLast { // then what was seen of all else stays
		e.sees = e.seen
	}
	last := when(e.asLast, e.since)
	for i, v := range e.views {
		if err == nil && !last.same[2*i] {
			found, err = v.scan(found, last.entries[2*i], last.entries[2*i+1])
		}
	}
	return found, err
}

// scan adds the entries that are not as they should be, and notes the links of ours at other names. The lists are of the two directories,
// where they were read; of a link of which the last look knows that it is right, nothing is asked.
func (v *view) scan(found []entry, shared, own map[string]fs.FileMode) (_ []entry, err error) {
	if own == nil {
		own, err = v.own.Entries()
	}
	if shared == nil && err == nil {
		shared, err = v.shared.Entries()
	}
	if err != nil {
		return nil, err
	}
	v.pin(own)
	v.names, v.entries, v.ownSum, v.sharedSum = maps.Clone(shared), map[string]entry{}, 0, 0
	for name := range shared {
		if v.hardLinks || v.Name == rules.CodexView && name == rules.HardLinked {
			if there, _ := v.shared.Stat(name); there.IsRegular() { // else no link is one to this file
				v.inodes[there.Ino] = place{v, name}
			}
		}
	}
	maps.Copy(v.names, own)
	for _, name := range v.Rules.Ahead() {
		v.names[name] = 0
	}
	for _, name := range slices.Sorted(maps.Keys(v.names)) {
		if there, has := shared[name]; has && v.asLast && own[name]&fs.ModeSymlink != 0 && v.last(name) != (sighting{}) {
			v.ownSum.Add(name, own[name], v.target(name)) // as the last look left it
			v.sharedSum.Add(name, there, "")
			continue
		}
		e := v.look(name)
		if e.source.view != nil {
			v.led[e.source.place] += 1 + when(e.fault == none, 1) // a copy that stays counts twice: its directory does not move
			v.wasLed[e.source.place] = true
		}
		if v.entries[name] = e; e.isWrong() {
			found = append(found, e)
		}
	}
	return found, nil
}

// again looks again at the entries of a scan, and returns those that are still wrong. It scans all where links of ours are at other names,
// since their repair may change any entry, and where the sandbox lacks one, but is not as it was listed: a session may have moved it away.
// Then only what was missing before the list is.
func (e *engine) again(found []entry) (still []entry, err error) {
	missing := map[place]bool{}
	for _, f := range found {
		f = f.view.look(f.name)
		missing[f.place] = f.isMissing()
		if f.view.entries[f.name] = f; f.isWrong() {
			still = append(still, f)
		}
	}
	if len(e.led) == 0 && (!slices.ContainsFunc(still, entry.isMissing) || e.isAsListed()) {
		return still, nil
	}
	e.asLast = false
	still, err = e.scan()
	return slices.DeleteFunc(still, func(f entry) bool { return f.isMissing() && !missing[f.place] }), err
}

// isMissing reports whether the sandbox has nothing at the entry's name.
func (e entry) isMissing() bool { return e.err == nil && e.target == "" && !e.mine.Exists() }

func (e entry) isWrong() bool { return e.err != nil || e.fault != none }

// rowOf returns the rule for an entry. A pinned entry is private, whatever the rules say now.
func (v *view) rowOf(name string) rules.Rule {
	row, _ := v.Rules.Row(name)
	if v.pins.has(v.Name, name) && row.Class.Shared() || v.hardLinks && row.Database {
		row.Class = rules.Private // on Windows CODEX_SQLITE_HOME leads to the databases
	}
	return row
}

// target is where the link to the shared entry leads.
func (v *view) target(name string) string { return filepath.Join(v.shared.Path, name) }

// leadsTo returns the name of the shared entry that a link leads to, "" if it leads elsewhere. A link to where the shared home was before
// counts.
func (v *view) leadsTo(target string) string {
	if target == "" {
		return ""
	}
	dir, name := filepath.Split(target)
	if !filepath.IsAbs(target) {
		dir = filepath.Join(v.own.Path, dir)
	}
	dir = disk.WithoutSlash(dir)
	former := slices.ContainsFunc(v.former, func(path string) bool { return path != "" && disk.WithoutSlash(path) == dir })
	if former || dir == v.shared.Path || disk.SameFile(dir, v.shared.Path) {
		return name
	}
	return ""
}

// look returns an entry with what is wrong with it. A link that no look has seen has its time, unless it comes from a backup without it.
func (v *view) look(name string) entry {
	target, err := v.own.Readlink(name)
	mine, err2 := v.own.Stat(name)
	there, err3 := v.shared.Stat(name)
	e := entry{place: place{v, name}, row: v.rowOf(name), mine: mine, there: there, target: target, err: errors.Join(err, err2, err3)}
	isOurs := v.last(name) != sighting{} || hardLinks || mine.Mtime.Sec == linkTime
	if e.err != nil || e.isRight() && isOurs {
		return e
	}
	e.source, e.err = e.sourceOf()
	if e.err == nil {
		e.fault = v.judge(e)
	}
	return e
}

// isRight reports whether the sandbox has the link that it should have.
func (e entry) isRight() bool {
	return e.target == e.view.target(e.name) && (e.there.Exists() || e.row.Class == rules.LinkAhead) && e.row.Class.Shared()
}

// sum adds an entry to the sums of what the sandbox and the shared home have, for the stamp, as [Homes.namesIn] will from the directories
// alone, and notes what is shared.
func (v *view) sum(e entry) {
	which := func(i disk.Stat) string {
		return when(v.Name == rules.CodexView && i.IsRegular() && e.name == rules.HardLinked, strconv.FormatUint(i.Ino, 10))
	}
	if e.target != "" || e.mine.Exists() {
		v.ownSum.Add(e.name, e.mine, cmp.Or(e.target, which(e.mine)))
	}
	if e.there.Exists() && (v.Name != rules.CodexView || !rules.ComesAndGoes(e.name)) {
		v.sharedSum.Add(e.name, e.there, which(e.there))
	}
	v.sees.note(e)
}

func (v *view) judge(e entry) fault {
	class, leads := e.row.Class, v.leadsTo(e.target)
	switch {
	case leads == e.name, e.source.is.IsDir() && class == rules.Private && v.Name == rules.CodexView: // codex would write its own there
		return wrongLink
	case e.source.view != nil:
		return e.source.fault
	case e.isHard():
		return when(v.device == v.sandbox && e.isUnpaired(), twoNames)
	case v.isLog(e.name) && !e.mine.IsDir():
		return e.judgeLog()
	case !class.Shared():
		return when(e.mine.IsRegular() && e.mine.Same(e.there) && (v.hardLinks || e.name == rules.HardLinked), wrongLink)
	case !e.mine.Exists():
		return when(e.there.Exists() || class == rules.LinkedDir || class == rules.LinkAhead && !v.hardLinks, noLink)
	}
	return when(e.mine.Movable(), ownEntry)
}

func when[T any](is bool, t T) (zero T) {
	if is {
		return t
	}
	return zero
}

// isHard reports whether the entry is shared as a hard link: one file with a name on each side.
func (e entry) isHard() bool {
	return e.row.Class == rules.HardLink ||
		e.view.hardLinks && e.row.Class.Shared() && !e.mine.IsDir() && !e.mine.IsLink() && !e.there.IsDir() &&
			(e.mine.Exists() || e.there.Exists())
}
