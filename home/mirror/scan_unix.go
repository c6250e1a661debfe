//go:build unix

package mirror

import (
	"io/fs"
	"maps"
	"slices"
	"sort"
	"strconv"

	"swop/disk"
	"swop/home/rules"
	"swop/say"
)

// scan returns what is to be repaired, in the order of the repairs. It scans again if an entry changed meanwhile: what a program renames
// during a scan might not be found under either name.
func (h *home) scan() (list []finding, err error) {
	for range disk.Rounds {
		var stale bool
		if list, stale, err = h.scanOnce(); err != nil || !stale {
			return list, err
		}
	}
	return list, err
}

func (h *home) scanOnce() (list []finding, stale bool, err error) {
	shared, sandbox, err := h.list()
	if err != nil {
		return nil, false, err
	}
	h.now.Gone, h.now.Waiting, h.blind = nil, nil, false
	h.now.Links, h.elsewhere, h.linksRead, h.unread = nil, map[string]string{}, false, false
	h.pin(sandbox)
	s := scanner{home: h, inShared: shared, inSandbox: sandbox}
	s.addKnown()
	if s.movesLeft() {
		s.add(leftMove, "")
	}
	for _, name := range slices.Sorted(maps.Keys(sandbox)) { // so that two scans of the same entries make the same calls
		if err := s.unseen(name, s.checkSandbox(name, sandbox[name])); err != nil {
			return nil, false, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(shared)) {
		if err := s.unseen(name, s.checkShared(name)); err != nil {
			return nil, false, err
		}
	}
	s.remember()
	sort.Slice(s.list, func(i, j int) bool {
		a, b := s.list[i], s.list[j]
		return a.kind < b.kind || a.kind == b.kind && a.name < b.name
	})
	return s.list, s.stale, nil
}

// list reads both directories, and notes their state.
func (h *home) list() (shared, sandbox map[string]disk.Entry, err error) {
	there, err := rules.Mark(h.shared)
	if err != nil {
		return nil, nil, err
	}
	own, err := rules.Mark(h.sandbox)
	if err != nil {
		return nil, nil, err
	}
	if shared, err = h.shared.Entries(); err != nil {
		return nil, nil, err
	}
	if sandbox, err = h.sandbox.Entries(); err != nil {
		return nil, nil, err
	}
	there.Sum, own.Sum = rules.EntriesSum(shared, h.rules.SharedSum), rules.EntriesSum(sandbox, h.rules.SandboxSum)
	h.noteMarks(h.view, there, own)
	return shared, sandbox, nil
}

// scanner is one scan of both directories.
type scanner struct {
	*home
	inShared, inSandbox map[string]disk.Entry
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
	class := s.class(name)
	switch {
	case entry.Mode&fs.ModeSymlink != 0:
		return s.checkLink(name, class)
	case class == rules.HardLink:
		if _, ok := s.inShared[name]; !ok { // if there is a shared one, the two are judged together
			return s.checkPair(name)
		}
	case class == rules.Ignored:
		s.checkTransient(name)
	case s.hasRootName(name) && entry.Mode&fs.ModeIrregular == 0:
		s.add(ownVersion, name)
	case !class.Linked():
		paired, err := s.isPaired(name)
		if paired { // private, but only by name
			s.add(stillPaired, name)
		}
		return err
	case entry.Mode&fs.ModeIrregular == 0:
		s.add(ownVersion, name)
	default: // a socket, FIFO or device stays where it was made
		return s.checkHidden(name)
	}
	return nil
}

// checkHidden finds a shared entry that what cannot be shared hides.
func (s *scanner) checkHidden(name string) error {
	there, err := s.shared.Stat(name)
	if err == nil && there.Exists() {
		hides := obstacle{"a socket, FIFO or device hides the shared entry", "rm " + say.ShellQuote(s.sandbox.Path+"/"+name)}
		put(&s.now.Waiting, name, hides)
	}
	return err
}

// checkLink finds what is wrong with a link in the sandbox. One into the shared directory is ours, whoever made it: a private entry must never
// be such a link, for codex would write through it.
func (s *scanner) checkLink(name string, class rules.Class) error {
	target, err := s.sandbox.Readlink(name)
	if err != nil || target == "" {
		s.stale = s.stale || err == nil
		return err
	}
	_, exists := s.inShared[name]
	base := s.linked(target)
	switch {
	case base == "":
		if class.Linked() {
			s.add(ownVersion, name)
		}
	case base == name:
		return s.checkOwnLink(name, target, class, exists)
	case class == rules.Ignored:
	default:
		s.elsewhere[name] = base
		s.add(movedLink, name)
	}
	return nil
}

// checkOwnLink finds what is wrong with a link of ours to the entry of its name.
func (s *scanner) checkOwnLink(name, target string, class rules.Class, exists bool) error {
	if !class.Linked() || target != s.target(name) || !exists && class != rules.LinkAhead {
		s.add(wrongLink, name)
		return nil
	}
	there, err := s.shared.Stat(name)
	s.now.link(name, s.next.seenSum(there))
	return err
}

// remember takes over what is known of links that are not there now: what came in their place may have to wait, and the next scan cannot tell
// any more whether its program saw the shared entry as it is.
func (s *scanner) remember() {
	for quoted, sum := range s.was.links() {
		name, err := strconv.Unquote(quoted)
		_, exists := s.inShared[name]
		if err != nil || !exists || s.now.stood(name) {
			continue
		}
		if there, err := s.shared.Stat(name); err == nil && s.saw(name, there) {
			sum = sumOf(there)
		}
		put(&s.now.Gone, name, sum)
	}
}

// checkShared finds what the sandbox lacks of an entry that the shared home has, or will have.
func (s *scanner) checkShared(name string) error {
	_, exists := s.inSandbox[name]
	switch class := s.class(name); {
	case class == rules.HardLink:
		return s.checkPair(name)
	case class.Linked() && !exists:
		s.add(missingLink, name)
	}
	return nil
}
