//go:build unix

package mirror

import (
	"cmp"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"swop/disk"
	"swop/home/baseline"
	"swop/home/rules"
	"swop/say"
)

// scan finds what is to be repaired. It scans again if an entry changed meanwhile: what a program renames during a scan might not be found under
// either name.
func (h *home) scan() error {
	for range disk.Rounds {
		if err := (scanner{h}).scanOnce(); err != nil || !h.stale {
			return err
		}
	}
	return nil
}

// scanner is a home in its first phase: it changes nothing in either directory.
type scanner struct{ *home }

func (h scanner) scanOnce() error {
	h.seen, h.done = seen{pinned: map[string]bool{}, elsewhere: map[string]string{}}, done{}
	h.now.Links, h.now.Waiting = nil, nil
	if err := h.list(); err != nil {
		return err
	}
	h.pin()
	h.addKnown()
	if h.movesLeft() {
		h.add(leftMove, "")
	}
	for _, name := range slices.Sorted(maps.Keys(h.inSandbox)) { // so that two scans of the same entries make the same calls
		if err := h.unseen(name, h.checkSandbox(name, h.inSandbox[name])); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(h.inShared)) {
		if err := h.unseen(name, h.checkShared(name)); err != nil {
			return err
		}
	}
	h.remember()
	slices.SortFunc(h.findings, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), strings.Compare(a.name, b.name))
	})
	return nil
}

// list reads both directories, and notes their state.
func (h scanner) list() error {
	there, err := rules.Mark(h.shared)
	if err != nil {
		return err
	}
	own, err := rules.Mark(h.sandbox)
	if err != nil {
		return err
	}
	if h.inShared, err = h.shared.Entries(); err != nil {
		return err
	}
	if h.inSandbox, err = h.sandbox.Entries(); err != nil {
		return err
	}
	there.Sum, own.Sum = rules.EntriesSum(h.inShared, h.rules.SharedSum), rules.EntriesSum(h.inSandbox, h.rules.SandboxSum)
	h.draft.note(h.view.Name, there, own)
	return nil
}

func (h scanner) add(kind findingKind, name string) {
	h.findings = append(h.findings, finding{kind, name})
}

// addKnown adds the known names that the shared directory does not have yet, and finds the directories among them.
func (h scanner) addKnown() {
	dirs, files := h.rules.Ahead()
	for _, name := range dirs {
		if _, ok := h.inShared[name]; ok || h.pinned[name] || h.inSandbox[name].Mode.IsDir() && !h.appendOnly(name) {
			continue // the sandbox's own is adopted
		}
		h.add(missingShared, name)
		h.inShared[name] = disk.Entry{Mode: fs.ModeDir}
	}
	for _, name := range files {
		if _, ok := h.inShared[name]; !ok && !h.pinned[name] {
			h.inShared[name] = disk.Entry{}
		}
	}
}

// checkSandbox finds what is wrong with an entry of the sandbox.
func (h scanner) checkSandbox(name string, entry disk.Entry) error {
	class := h.class(name)
	switch {
	case entry.Mode&fs.ModeSymlink != 0:
		return h.checkLink(name, class)
	case class == rules.HardLink:
		if _, ok := h.inShared[name]; !ok { // if there is a shared one, the two are judged together
			return h.checkPair(name)
		}
	case class == rules.Ignored:
		h.checkTransient(name)
	case h.hasRootName(name) && entry.Mode&fs.ModeIrregular == 0:
		h.add(ownVersion, name)
	case !class.Linked():
		paired, err := h.isPaired(name)
		if paired { // private, but only by name
			h.add(stillPaired, name)
		}
		return err
	case entry.Mode&fs.ModeIrregular == 0:
		h.add(ownVersion, name)
	default: // a socket, FIFO or device stays where it was made
		return h.checkHidden(name)
	}
	return nil
}

// checkHidden finds a shared entry that what cannot be shared hides.
func (h scanner) checkHidden(name string) error {
	there, err := h.shared.Stat(name)
	if err == nil && there.Exists() {
		hides := baseline.Obstacle{Reason: "a socket, FIFO or device hides the shared entry", Do: "rm " + say.ShellQuote(h.sandbox.Path+"/"+name)}
		h.now.Wait(name, hides)
	}
	return err
}

// checkLink finds what is wrong with a link in the sandbox. One into the shared directory is ours, whoever made it: a private entry must never
// be such a link, for codex would write through it.
func (h scanner) checkLink(name string, class rules.Class) error {
	target, err := h.sandbox.Readlink(name)
	if err != nil || target == "" {
		h.stale = h.stale || err == nil
		return err
	}
	_, exists := h.inShared[name]
	base := h.view.Entry(target)
	switch {
	case base == "":
		if class.Linked() {
			h.add(ownVersion, name)
		}
	case base == name:
		return h.checkOwnLink(name, target, class, exists)
	case class == rules.Ignored:
	default:
		h.elsewhere[name] = base
		h.add(movedLink, name)
	}
	return nil
}

// checkOwnLink finds what is wrong with a link of ours to the entry of its name.
func (h scanner) checkOwnLink(name, target string, class rules.Class, exists bool) error {
	if !class.Linked() || target != h.view.Target(name) || !exists && class != rules.LinkAhead {
		h.add(wrongLink, name)
		return nil
	}
	there, err := h.shared.Stat(name)
	h.now.Link(name, h.next.SeenSum(there))
	return err
}

// remember takes over what is known of links that are not there now: what came in their place may have to wait, and the next scan cannot tell
// any more whether its program saw the shared entry as it is.
func (h scanner) remember() {
	for name, sum := range h.was.AllLinks() {
		if _, exists := h.inShared[name]; !exists || h.now.Stood(name) {
			continue
		}
		if there, err := h.shared.Stat(name); err == nil && h.saw(name, there) {
			sum = baseline.SumOf(there)
		}
		h.now.NoteGone(name, sum)
	}
}

// checkShared finds what the sandbox lacks of an entry that the shared home has, or will have.
func (h scanner) checkShared(name string) error {
	_, exists := h.inSandbox[name]
	switch class := h.class(name); {
	case class == rules.HardLink:
		return h.checkPair(name)
	case class.Linked() && !exists:
		h.add(missingLink, name)
	}
	return nil
}
