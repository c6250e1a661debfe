package choice

import (
	"swop/config"
	"swop/internal/account/store"
	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/shim"
)

// bindingsAnswer is the list of bindings, as --json prints it: by path.
type bindingsAnswer struct {
	SchemaVersion int            `json:"schema_version"`
	Bindings      []bindingEntry `json:"bindings"`
}

type bindingEntry struct {
	Path    string `json:"path"`
	Account string `json:"account"`           // a label, or a pool as in selector.toml
	Here    bool   `json:"here"`              // codex runs by this binding in the working directory
	Missing string `json:"missing,omitempty"` // "directory", "account" or "pool", if it is gone
}

// listBindings returns the bindings.
func listBindings(s verb.Setup) (bindingsAnswer, error) {
	selector, err := config.ReadSelector(s.Places)
	here, _ := s.HereOrPool() // after an error no binding is marked
	answer := bindingsAnswer{1, []bindingEntry{}}
	for _, b := range selector.Directory {
		missing := store.MissingOf(s.Store, b, s.Settings)
		answer.Bindings = append(answer.Bindings, bindingEntry{b.Path, b.Account, here.Why == shim.ByBinding && b.Path == here.Path, missing})
	}
	return answer, err
}

func showBindings(call *verb.Call, answer bindingsAnswer) error {
	list := answer.Bindings
	if len(list) == 0 {
		call.Say("no directory is bound")
		call.Say("hint: codex swop bind LABEL DIR")
		return nil
	}
	columns := append([]terminal.Column{
		terminal.NewColumn(" ", list, func(b bindingEntry) string { return terminal.Mark(b.Here) }),
		terminal.NewColumn("DIRECTORY", list, func(b bindingEntry) string { return b.Path }),
		terminal.NewColumn("ACCOUNT", list, func(b bindingEntry) string { return b.Account }),
	}, terminal.Filled(
		terminal.NewColumn("MISSING", list, func(b bindingEntry) string { return b.Missing }),
	)...)
	return call.Show(call.Table(columns))
}
