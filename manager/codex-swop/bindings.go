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
	"swop/manager/terminal"
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
		return writeJSON(a.Stdout, list)
	case len(list.Bindings) == 0:
		a.say("no directory is bound")
		a.say("hint: codex swop bind LABEL DIR")
		return nil
	}
	return a.Show(a.bindingLines(list.Bindings))
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
	columns := []terminal.Column{
		terminal.NewColumn(" ", list, func(b bindingEntry) string { return terminal.Mark(b.Here) }),
		terminal.NewColumn("DIRECTORY", list, func(b bindingEntry) string { return b.Path }),
		terminal.NewColumn("ACCOUNT", list, func(b bindingEntry) string { return b.Account }),
	}
	for _, more := range []terminal.Column{
		terminal.NewColumn("CONFINED", list, func(b bindingEntry) string { return b.Confine }),
		terminal.NewColumn("BRIDGES", list, func(b bindingEntry) string { return strings.Join(b.Bridges, ", ") }),
		terminal.NewColumn("MISSING", list, func(b bindingEntry) string { return b.Missing }),
	} {
		if !more.IsEmpty() {
			columns = append(columns, more)
		}
	}
	if terminal.TableWidth(columns) <= a.Width() {
		return a.Table(columns)
	}
	var lines []string
	for row, path := range columns[1].Cells {
		lines = append(lines, path)
		for _, c := range columns[2:] {
			if c.Cells[row] != "" {
				lines = append(lines, "  "+strings.ToLower(c.Title)+": "+c.Cells[row])
			}
		}
	}
	return lines
}
