//go:build unix

package projection

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"sort"

	"golang.org/x/sys/unix"

	"swop/manager/disk"
	"swop/manager/stamp"
)

// projection is how the entries of one shared directory appear in one sandbox directory. The same engine serves the codex home
// and the real home; only the rules differ.
//
// It looks, then acts. A look reads both directories and returns what is not as it should be, nothing in the steady state. Then, one
// reconcile at a time per shared home, each finding is judged anew and mended by renames and links, each of which leaves both
// directories valid and is harmless to repeat: killed between two, the next run goes on. Programs do not take our lock: whatever
// they do between two of our calls, no version of a file is dropped that was not replaced by its writer or is not kept.
type projection struct {
	shared, sandbox disk.Dir
	rules           stamp.Rules
	bootstrap       string          // the codex home that the account was taken over from, "" for none
	former          []string        // where the shared directory was before
	pinned          map[string]bool // what the sandbox has of its own since an earlier table said so
	view            string          // "codex" or "home"
	was, now        *homeBaseline
	*reconciler
	detached map[string]linkMark // the renamed links whose shared entries were taken out, by their names now
}

// finding is an entry that is not as it should be.
type finding struct {
	kind findingKind
	name string
}

type findingKind uint8

const (
	missingShared    findingKind = iota // a known directory that the shared home does not have yet
	leftCopy                            // a copy that a run that was killed did not finish
	leftTemp                            // a version that a run that was killed had put aside
	leftTempInShared                    // the same in the shared directory
	renamedLink                         // a link of ours that a program renamed from another name
	wrongLink                           // a link of ours that must go, or point elsewhere
	missingLink                         // the sandbox lacks an entry
	staleCopy                           // the sandbox lacks a copy, or has an old one
	unpairedFile                        // of a hard-linked file one side is missing, or they differ
	stillPaired                         // a hard-linked file that is the account's own by now is the shared one still
	ownVersion                          // the sandbox has an entry of its own where its link should be
	strayLog                            // the log of a database that is not here any more
)

// look returns what is to be mended, in the order in which it is. It looks again where a program was faster: what it renames while its home is
// reconcileAfterTick at would not be found under either name.
func (p *projection) scan() (list []finding, err error) {
	for range disk.Rounds {
		var stale bool
		if list, stale, err = p.scanOnce(); err != nil || !stale {
			return list, err
		}
	}
	return list, err
}

func (p *projection) scanOnce() (list []finding, stale bool, err error) {
	shared, sandbox, err := p.list()
	if err != nil {
		return nil, false, err
	}
	if err := p.pin(sandbox); err != nil {
		return nil, false, err
	}
	p.addBootstrap(shared)
	p.now.Links = nil
	l := scanner{projection: p, shared: shared, sandbox: sandbox, renamed: map[string]bool{}}
	l.ahead()
	for _, name := range slices.Sorted(maps.Keys(sandbox)) { // so that two looks at the same make the same calls
		if err := l.own(name, sandbox[name]); err != nil {
			return nil, false, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(shared)) {
		if err := l.checkShared(name); err != nil {
			return nil, false, err
		}
	}
	sort.Slice(l.list, func(i, j int) bool {
		a, b := l.list[i], l.list[j]
		return a.kind < b.kind || a.kind == b.kind && a.name < b.name
	})
	return l.list, l.stale, nil
}

// list reads both directories, and marks what they are like.
func (p *projection) list() (shared, sandbox map[string]disk.Entry, err error) {
	there, err := stamp.Mark(p.shared)
	if err != nil {
		return nil, nil, err
	}
	own, err := stamp.Mark(p.sandbox)
	if err != nil {
		return nil, nil, err
	}
	if shared, err = p.shared.Entries(); err != nil {
		return nil, nil, err
	}
	if sandbox, err = p.sandbox.Entries(); err != nil {
		return nil, nil, err
	}
	there.Sum, own.Sum = stamp.EntriesSum(shared, p.rules.SharedSum), stamp.EntriesSum(sandbox, p.rules.SandboxSum)
	p.noteMarks(p.view, there, own)
	return shared, sandbox, nil
}

// scanner is one look at both directories.
type scanner struct {
	*projection
	shared, sandbox map[string]disk.Entry
	renamed         map[string]bool // the shared entries whose links a program renamed
	list            []finding
	stale           bool // an entry is not what the listing said
}

func (l *scanner) found(kind findingKind, name string) { l.list = append(l.list, finding{kind, name}) }

// ahead adds the known names that are not there yet to what the shared directory has, and finds the directories among them.
func (l *scanner) ahead() {
	dirs, files := l.rules.Ahead()
	for _, name := range dirs {
		if _, ok := l.shared[name]; ok || l.pinned[name] || l.sandbox[name].Mode.IsDir() && !l.appendOnly(name) {
			continue // the sandbox's own is adopted, whole
		}
		l.found(missingShared, name)
		l.shared[name] = disk.Entry{Mode: fs.ModeDir}
	}
	for _, name := range files {
		if _, ok := l.shared[name]; !ok && !l.pinned[name] {
			l.shared[name] = disk.Entry{}
		}
	}
}

// own finds what is wrong with an entry of the sandbox.
func (l *scanner) own(name string, entry disk.Entry) error {
	if _, aside := disk.TempOf(name); aside {
		l.found(leftTemp, name)
		return nil
	}
	class := l.class(name)
	switch {
	case disk.IsCopy(name):
		l.found(leftCopy, name)
	case entry.Mode&fs.ModeSymlink != 0:
		return l.checkLink(name, entry, class)
	case class == stamp.HardLink:
		if _, ok := l.shared[name]; !ok { // where it exists it is judged with the shared one
			return l.checkPair(name)
		}
	case class == stamp.Ignored:
		return l.checkLog(name)
	case !class.Linked():
		paired, err := l.isPaired(name)
		if paired { // the account's own by name only
			l.found(stillPaired, name)
		}
		return err
	case entry.Mode&fs.ModeIrregular == 0: // a socket, FIFO or device stays where it was made
		l.found(ownVersion, name)
	}
	return nil
}

func (l *scanner) checkLink(name string, entry disk.Entry, class stamp.Class) error {
	target, err := l.projection.sandbox.Readlink(name)
	if err != nil || target == "" {
		l.stale = l.stale || err == nil
		return err
	}
	_, exists := l.shared[name]
	dir, base := splitPath(target)
	mark := markLink(entry.Ino, target)
	switch {
	case !l.ours(dir) && l.was.wasLink(name, mark):
		l.found(wrongLink, name) // ours still, to a shared home of long ago
	case !l.ours(dir):
		if class.Linked() {
			l.found(ownVersion, name)
		}
	case base == name:
		right := class.Linked() && target == l.target(name)
		if right {
			l.now.link(name, mark)
		}
		if !right || !exists && class != stamp.LinkAhead {
			l.found(wrongLink, name)
		}
	case l.was.wasLink(base, mark):
		l.renamed[base] = true
		l.found(renamedLink, name)
	default:
		l.checkForeignLink(name, base, class)
	}
	return nil
}

// checkForeignLink judges a link into the shared directory that is no link of ours, as far as is known: made by a program or the user, to an
// entry that it knows by its real path. What the account has to itself must not be one in any case: codex would write through it.
func (l *scanner) checkForeignLink(name, base string, class stamp.Class) {
	_, exists := l.shared[base]
	switch {
	case class == stamp.Ignored:
	case exists && class.Linked():
		l.found(ownVersion, name)
	default:
		l.found(wrongLink, name)
	}
}

// checkShared finds what the sandbox lacks of an entry that the shared home has, or will have.
func (l *scanner) checkShared(name string) error {
	_, aside := disk.TempOf(name)
	_, exists := l.sandbox[name]
	row, _ := l.rules.Row(name)
	switch class := l.class(name); {
	case aside:
		l.found(leftTempInShared, name)
	case disk.IsCopy(name):
		l.found(leftCopy, name)
	case len(row.Copied) > 0:
		l.fastPath = false // whether the copy is old shows in no directory that is watched
		fresh, err := l.copiesFresh(name, row.Copied)
		if err == nil && !fresh {
			l.found(staleCopy, name)
		}
		return err
	case class == stamp.HardLink:
		return l.checkPair(name)
	case class.Linked() && !exists && !l.renamed[name]:
		l.found(missingLink, name)
	}
	return nil
}

// ours reports whether dir is the shared directory, or was, so that links into it are ours or what programs made of them.
func (p *projection) ours(dir string) bool {
	return dir != "" && (dir == p.shared.Path || dir == p.bootstrap || slices.Contains(p.former, dir))
}

// target is where the sandbox's link for name points.
func (p *projection) target(name string) string {
	dir := p.source(name)
	if dir == "/" {
		return dir + name
	}
	return dir + "/" + name // not filepath.Join, which would change what the kernel opens: /home/../me
}

// class is the class of an entry, where an earlier rule does not keep it the account's own.
func (p *projection) class(name string) stamp.Class {
	class := p.rules.Class(name)
	if p.pinned[name] && class.Shared() {
		return stamp.Private
	}
	return class
}

// act mends what was found. What programs renamed comes first, all of it at once: the names may form a chain or a circle.
func (p *projection) act(list []finding) error {
	renamings, err := p.detachRenamed(list)
	if err != nil {
		return err
	}
	for _, r := range renamings {
		if err := p.placeShared(r.aside, r.name); err != nil {
			return err
		}
	}
	for i, f := range list {
		if p.options.Progress != nil {
			p.options.Progress(i, len(list))
		}
		err := p.repair(f)
		if denied(err) && f.kind.isOwn() {
			err = p.waitForOwn(f.name) // doctor says so, and codex runs all the same
		}
		if errors.Is(err, disk.ErrChanged) {
			err = nil // the next look judges what the program made of it
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// denied reports whether an entry may not be moved: its owner closed it, or it is a mount point.
func denied(err error) bool { return errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EBUSY) }

// waitForOwn notes an entry that could not be moved, so that the next look tries again.
func (p *projection) waitForOwn(name string) error {
	own, err := p.sandbox.Stat(name)
	if err == nil && own.Exists() {
		p.now.wait(name, own)
	}
	return err
}

// isOwn reports whether the finding is about something that the account made, without which codex finds all it needs.
func (k findingKind) isOwn() bool { return k == ownVersion || k == leftTemp || k == strayLog }

func (p *projection) repair(f finding) error {
	switch f.kind {
	case missingShared:
		return p.shared.Mkdir(f.name)
	case leftCopy:
		return errors.Join(disk.RemoveAll(p.sandbox, f.name), disk.RemoveAll(p.shared, f.name))
	case leftTemp:
		name, _ := disk.TempOf(f.name)
		return p.foldTemp(f.name, name)
	case leftTempInShared:
		name, _ := disk.TempOf(f.name)
		return p.placeShared(f.name, name)
	case renamedLink, wrongLink:
		if row, _ := p.rules.Row(f.name); len(row.Copied) > 0 {
			return errors.Join(p.repairLink(f), p.updateCopies(f.name, row.Copied))
		}
		return p.repairLink(f)
	case missingLink:
		return p.addLink(f.name)
	case staleCopy:
		row, _ := p.rules.Row(f.name)
		return p.updateCopies(f.name, row.Copied)
	case unpairedFile:
		return p.pair(f.name)
	case stillPaired:
		return p.unpair(f.name)
	case ownVersion:
		return p.foldOwn(f.name)
	}
	return p.dropLog(f.name)
}
