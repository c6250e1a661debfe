//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"swop/account"
	"swop/config"
	"swop/config/file"
)

// bindingsAnswer is the list of bindings, as --json prints it: by path.
type bindingsAnswer struct {
	SchemaVersion int            `json:"schema_version"`
	Bindings      []bindingEntry `json:"bindings"`
}

type bindingEntry struct {
	Path    string   `json:"path"`
	Account string   `json:"account"` // a label, or a pool as in selector.toml
	Confine string   `json:"confine,omitempty"`
	Bridges []string `json:"bridges,omitempty"`
	Here    bool     `json:"here"`              // it decides in the working directory
	Missing string   `json:"missing,omitempty"` // "directory", "account" or "pool", where that is gone
}

// listBindings prints which directories are bound, and marks what is gone.
func (a *app) listBindings(asJSON bool) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	selector, err := file.ReadSelector(s.Places)
	if err != nil {
		return err
	}
	list := bindingsAnswer{1, s.bindings(selector)}
	switch {
	case asJSON:
		return writeJSON(a.stdout, list)
	case len(list.Bindings) == 0:
		a.say("no directory is bound")
		a.say("hint: codex swop bind LABEL DIR")
		return nil
	}
	return a.show(a.bindingLines(list.Bindings))
}

func (s setup) bindings(selector config.Selector) []bindingEntry {
	here, _ := os.Getwd() // "" is in no directory
	decides := selector.For(here).Path
	list := []bindingEntry{}
	for _, b := range selector.Directory {
		list = append(list, bindingEntry{b.Path, b.Account, b.Confine, b.Bridges, b.Path == decides, s.missingOf(b)})
	}
	return list
}

// missingOf says what of a binding is gone, "" if nothing is.
func (s setup) missingOf(b config.Binding) string {
	if _, err := os.Stat(b.Path); errors.Is(err, fs.ErrNotExist) {
		return "directory"
	}
	if key, pooled := config.PoolOf(b.Account); pooled {
		if _, ok := s.settings.Pool(key); !ok {
			return "pool"
		}
		return ""
	}
	if _, err := s.store.Find(b.Account); errors.Is(err, account.ErrNoAccount) {
		return "account"
	}
	return ""
}

// bindingLines returns the table of the bindings, or where there is no room, one binding below the other.
func (a *app) bindingLines(list []bindingEntry) []string {
	columns := []column{
		newColumn(" ", list, func(b bindingEntry) string { return mark(b.Here) }),
		newColumn("DIRECTORY", list, func(b bindingEntry) string { return b.Path }),
		newColumn("ACCOUNT", list, func(b bindingEntry) string { return b.Account }),
	}
	for _, more := range []column{
		newColumn("CONFINED", list, func(b bindingEntry) string { return b.Confine }),
		newColumn("BRIDGES", list, func(b bindingEntry) string { return strings.Join(b.Bridges, ", ") }),
		newColumn("MISSING", list, func(b bindingEntry) string { return b.Missing }),
	} {
		if strings.Join(more.cells, "") != "" {
			columns = append(columns, more)
		}
	}
	if tableWidth(columns) <= a.width() {
		lines := layTable(columns)
		lines[0] = a.paint(faint, lines[0])
		return lines
	}
	var lines []string
	for row, path := range columns[1].cells {
		lines = append(lines, path)
		for _, c := range columns[2:] {
			if c.cells[row] != "" {
				lines = append(lines, "  "+strings.ToLower(c.title)+": "+c.cells[row])
			}
		}
	}
	return lines
}
