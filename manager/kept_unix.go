//go:build unix

package manager

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"swop/config"
)

// What an account had of its own under an earlier table or an earlier config.toml stays its own, until it is shared by name: a rule
// that goes must not bring one account's file to all others. The names are kept in the sandbox, in the file "kept", a quoted name a
// line after the view's name; it is synced, for losing it would share what was private.

func keptFile(a Account) string { return filepath.Join(a.Dir, "kept") }

// readKept returns the recorded names, each with its view before it.
func readKept(a Account) (map[string]bool, error) {
	text, err := readBounded(keptFile(a), maxMemory)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]bool{}, nil
	}
	if err != nil {
		return nil, err
	}
	kept := map[string]bool{}
	for _, line := range strings.Split(string(text), "\n") {
		if line != "" {
			kept[line] = true
		}
	}
	return kept, nil
}

func writeKept(a Account, kept map[string]bool) error {
	lines := make([]string, 0, len(kept))
	for line := range kept {
		lines = append(lines, line+"\n")
	}
	sort.Strings(lines)
	return config.WriteFile(keptFile(a), []byte(strings.Join(lines, "")))
}

func keptLine(view, name string) string { return view + " " + strconv.Quote(name) }

// patternLine notes a private pattern of the user that was in force at the last look: what was made under it is the account's own,
// although no look saw it before the pattern went.
func patternLine(view, pattern string) string { return view + " private " + strconv.Quote(pattern) }

// wasPrivate reports whether a pattern of the user that was in force at the last look made the entry private.
func (p *projection) wasPrivate(name string) bool {
	prefix := p.view + " private "
	for line := range p.recorded {
		if quoted, ok := strings.CutPrefix(line, prefix); ok {
			if pattern, err := strconv.Unquote(quoted); err == nil && matches(pattern, name) {
				return true
			}
		}
	}
	return false
}

// notePatterns records the patterns that are in force now, instead of those of the last look.
func (p *projection) notePatterns() {
	now := map[string]bool{}
	for _, pattern := range p.rules.private {
		now[patternLine(p.view, pattern)] = true
	}
	for line := range p.recorded {
		if strings.HasPrefix(line, p.view+" private ") && !now[line] {
			delete(p.recorded, line)
			p.newlyKept = true
		}
	}
	for line := range now {
		if !p.recorded[line] {
			p.recorded[line] = true
			p.newlyKept = true
		}
	}
}

// keep sets what the sandbox keeps to itself against the rules, and notes what the rules make its own now.
func (p *projection) keep(sandbox map[string]dirent) error {
	defer p.notePatterns()
	p.kept = map[string]bool{}
	for name, entry := range sandbox {
		if isOurs(name) {
			continue // of a run that was cut off: about to go, nobody keeps it
		}
		line := keptLine(p.view, name)
		shown, err := p.showsShared(name, entry, line)
		if err != nil {
			return err
		}
		if shown {
			p.newlyKept = p.newlyKept || p.recorded[line]
			delete(p.recorded, line)
			continue
		}
		row, _ := p.rules.row(name)
		switch {
		case entry.mode&fs.ModeSymlink != 0 && row.Class != Private:
		case row.Class == Private && entry.mode&fs.ModeSymlink == 0 && !row.Transient && !p.recorded[line]:
			p.recorded[line] = true
			p.newlyKept = true
		case row.Class.shared() && entry.mode&fs.ModeSymlink == 0 && !p.recorded[line] && p.wasPrivate(name):
			p.recorded[line] = true
			p.newlyKept = true
			p.kept[name] = true
		case row.Class.shared() && p.recorded[line]:
			p.kept[name] = true
		}
	}
	return nil
}

// showsShared reports whether an entry that may be recorded as kept is the shared one, by our link or as a hard link: the account's own is
// gone then.
func (p *projection) showsShared(name string, entry dirent, line string) (bool, error) {
	if entry.mode&fs.ModeSymlink == 0 {
		return p.isPaired(name)
	}
	if !p.recorded[line] || !p.rules.Class(name).linked() {
		return false, nil
	}
	target, err := p.sandbox.readlink(name)
	return target == p.target(name), err
}
