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

// keep sets what the sandbox keeps to itself against the rules, and notes what the rules make its own now.
func (p *projection) keep(sandbox map[string]dirent) {
	p.kept = map[string]bool{}
	for name, entry := range sandbox {
		line := keptLine(p.view, name)
		row, _ := p.rules.row(name)
		switch {
		case entry.mode&fs.ModeSymlink != 0 && row.Class != Private:
		case row.Class == Private && entry.mode&fs.ModeSymlink == 0 && row.Pattern != temporaryLogins && !p.recorded[line]:
			p.recorded[line] = true
			p.newlyKept = true
		case row.Class.linked() && p.recorded[line]:
			p.kept[name] = true
		}
	}
}
