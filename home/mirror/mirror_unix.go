//go:build unix

package mirror

import (
	"errors"

	"swop/disk"
	"swop/home/baseline"
	"swop/home/links"
	"swop/home/rules"
)

// home is one of the homes of a sandbox, open for a reconcile: it shows the entries of the shared directory. The codex home and the real home differ
// only in their rules.
//
// A reconcile has two phases: a scan reads both directories and finds what is not as it should be, usually nothing; then, one reconcile at a time for
// each shared home, every finding is judged again and repaired by renames and links. docs/decisions/0013 has the promises it keeps, and what it makes of each finding.
type home struct {
	*reconciler
	view            links.View
	shared, sandbox disk.Dir
	rules           rules.Rules
	was, now        *baseline.Home    // what the last scan saw, and what this one sees
	renamed         map[string]string // what this reconcile renamed in the shared directory: the new names
	seen
	done
}

// seen is what a scan saw; each scan begins with an empty one.
type seen struct {
	inShared, inSandbox map[string]disk.Entry
	pinned              map[string]bool   // what the sandbox keeps to itself against the rules
	elsewhere           map[string]string // the links of ours that are at another name than their entry's, with that
	findings            []finding         // what is to be repaired, in the order of the repairs
	stale               bool              // an entry is not what the listing said
	blind               bool              // not every entry could be seen
}

// done is what the repairs have done since the scan; each scan begins with an empty one.
type done struct {
	linksRead bool // the links in elsewhere were looked at
	unread    bool // what became of some of them is not known yet: their own links are not added
	again     bool // what was repaired needs another scan
}

// finding is an entry that is not as it should be.
type finding struct {
	kind findingKind
	name string
}

type findingKind uint8

const (
	leftMove      findingKind = iota // a killed run left a move
	missingShared                    // the shared home lacks a known directory
	movedLink                        // a program put a link of ours at this name
	wrongLink                        // a link of ours must be removed or point elsewhere
	missingLink                      // the sandbox lacks an entry
	unpairedFile                     // a hard-linked file lacks one of its names, or they are two files
	stillPaired                      // a hard-linked file became private, but is still the shared one
	ownVersion                       // the sandbox has an entry of its own in place of the link
)

// class returns the entry's class. A pinned entry is private, whatever the rules say now.
func (h *home) class(name string) rules.Class {
	class := h.rules.Class(name)
	if h.pinned[name] && class.Shared() {
		return rules.Private
	}
	return class
}

// act repairs what the scan found. What cannot be repaired waits, and the others go on.
func (h *home) act() error {
	for _, f := range h.findings {
		if err := h.wait(f, h.repair(f)); err != nil {
			return err
		}
	}
	return nil
}

func (h *home) repair(f finding) error {
	switch f.kind {
	case leftMove:
		return h.finishMoves()
	case missingShared:
		return h.shared.Mkdir(f.name)
	case movedLink:
		return linkReader{h}.readLinks()
	case wrongLink:
		return h.repairLink(f.name)
	case missingLink:
		return h.addMissing(f.name)
	case unpairedFile:
		return pairing{h}.pair(f.name)
	case stillPaired:
		return retry(func() error { return pairing{h}.unpair(f.name) })
	}
	return retry(func() error { return folding{h}.fold(f.name) })
}

// retry calls f again as long as a program changed the entry meanwhile, and returns its error. After disk.Rounds calls it returns nil: the
// next run goes on.
func retry(f func() error) error {
	for range disk.Rounds {
		if err := f(); !errors.Is(err, disk.ErrChanged) {
			return err
		}
	}
	return nil
}

// inOrder takes the steps, up to the first that fails.
func inOrder(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
