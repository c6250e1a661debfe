//go:build unix

package projection

import (
	"io/fs"
	"maps"
	"slices"
	"sort"

	"swop/manager/disk"
	"swop/manager/stamp"
)

// scan returns what is to be repaired, in the order of the repairs. It scans again if an entry changed meanwhile: what a program renames
// during a scan might not be found under either name.
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
	s := scanner{projection: p, inShared: shared, inSandbox: sandbox, renamed: map[string]bool{}}
	s.addKnown()
	for _, name := range slices.Sorted(maps.Keys(sandbox)) { // so that two scans of the same entries make the same calls
		if err := s.checkSandbox(name, sandbox[name]); err != nil {
			return nil, false, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(shared)) {
		if err := s.checkShared(name); err != nil {
			return nil, false, err
		}
	}
	sort.Slice(s.list, func(i, j int) bool {
		a, b := s.list[i], s.list[j]
		return a.kind < b.kind || a.kind == b.kind && a.name < b.name
	})
	return s.list, s.stale, nil
}

// list reads both directories, and notes their state.
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

// scanner is one scan of both directories.
type scanner struct {
	*projection
	inShared, inSandbox map[string]disk.Entry
	renamed             map[string]bool // the shared entries whose links a program renamed
	list                []finding
	stale               bool // an entry is not what the listing said
}

func (s *scanner) add(kind findingKind, name string) { s.list = append(s.list, finding{kind, name}) }

// addKnown adds the known names that the shared directory does not have yet, and finds the directories among them.
func (s *scanner) addKnown() {
	dirs, files := s.rules.Ahead()
	for _, name := range dirs {
		if _, ok := s.inShared[name]; ok || s.pinned[name] || s.inSandbox[name].Mode.IsDir() && !s.appendOnly(name) {
			continue // the sandbox's own is adopted
		}
		s.add(missingShared, name)
		s.inShared[name] = disk.Entry{Mode: fs.ModeDir}
	}
	for _, name := range files {
		if _, ok := s.inShared[name]; !ok && !s.pinned[name] {
			s.inShared[name] = disk.Entry{}
		}
	}
}

// checkSandbox finds what is wrong with an entry of the sandbox.
func (s *scanner) checkSandbox(name string, entry disk.Entry) error {
	if _, temp := disk.TempOf(name); temp {
		s.add(leftTemp, name)
		return nil
	}
	class := s.class(name)
	switch {
	case disk.IsCopy(name):
		s.add(leftCopy, name)
	case entry.Mode&fs.ModeSymlink != 0:
		return s.checkLink(name, entry, class)
	case class == stamp.HardLink:
		if _, ok := s.inShared[name]; !ok { // if there is a shared one, the two are judged together
			return s.checkPair(name)
		}
	case class == stamp.Ignored:
		return s.checkLog(name)
	case !class.Linked():
		paired, err := s.isPaired(name)
		if paired { // private, but only by name
			s.add(stillPaired, name)
		}
		return err
	case entry.Mode&fs.ModeIrregular == 0: // a socket, FIFO or device stays where it was made
		s.add(ownVersion, name)
	}
	return nil
}

// checkLink finds what is wrong with a link in the sandbox.
func (s *scanner) checkLink(name string, entry disk.Entry, class stamp.Class) error {
	target, err := s.sandbox.Readlink(name)
	if err != nil || target == "" {
		s.stale = s.stale || err == nil
		return err
	}
	_, exists := s.inShared[name]
	dir, base := splitPath(target)
	mark := markLink(entry.Ino, target)
	switch {
	case !s.ours(dir) && s.was.wasLink(name, mark):
		s.add(wrongLink, name) // still ours, to a shared home of long ago
	case !s.ours(dir):
		if class.Linked() {
			s.add(ownVersion, name)
		}
	case base == name:
		right := class.Linked() && target == s.target(name)
		if right {
			s.now.link(name, mark)
		}
		if !right || !exists && class != stamp.LinkAhead {
			s.add(wrongLink, name)
		}
	case s.was.wasLink(base, mark) && s.inSandbox[base].Ino != entry.Ino: // else a hard link: ln x x.bak
		s.renamed[base] = true
		s.add(renamedLink, name)
	default:
		s.checkForeignLink(name, base, class)
	}
	return nil
}

// checkForeignLink judges a link into the shared directory that is not known to be ours: a program or the user made it, to an entry that it
// knows by its real path. A private entry must never be such a link: codex would write through it.
func (s *scanner) checkForeignLink(name, base string, class stamp.Class) {
	_, exists := s.inShared[base]
	switch {
	case class == stamp.Ignored:
	case exists && class.Linked():
		s.add(ownVersion, name)
	default:
		s.add(wrongLink, name)
	}
}

// checkShared finds what the sandbox lacks of an entry that the shared home has, or will have.
func (s *scanner) checkShared(name string) error {
	_, temp := disk.TempOf(name)
	_, exists := s.inSandbox[name]
	row, _ := s.rules.Row(name)
	switch class := s.class(name); {
	case temp:
		s.add(leftTempInShared, name)
	case disk.IsCopy(name):
		s.add(leftCopy, name)
	case len(row.Copied) > 0:
		s.fastPath = false // no fingerprint of a directory shows whether the copy is old
		fresh, err := s.copiesFresh(name, row.Copied)
		if err == nil && !fresh {
			s.add(staleCopy, name)
		}
		return err
	case class == stamp.HardLink:
		return s.checkPair(name)
	case class.Linked() && !exists && !s.renamed[name]:
		s.add(missingLink, name)
	}
	return nil
}
