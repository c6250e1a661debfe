//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// bridged measures starts of an account with a bridge, and what the tables of another account's cost those that have none.
func (b *bench) bridged() {
	const table_ = "kind = \"http\"\nupstream = \"https://tracker.example.com\"\nheader = \"Authorization: Bearer {token}\"\n" +
		"token = { file = \"/nonexistent\" }\nallow = [\"GET /**\"]\n"
	list := []candidate{b.yardstick()}
	for _, row := range []struct{ name, table string }{
		{"no bridge", ""},
		{"a bridge of another account", "[accounts.other.bridge.tracker]\n" + table_},
		{"a bridge of its own", "[accounts.work.bridge.tracker]\n" + table_},
	} {
		u, err := b.scene(current, fmt.Sprintf("bridged%d", len(list)), b.path("target"), everyday)
		if err == nil {
			err = os.WriteFile(filepath.Join(u.home, ".config", "swop", "config.toml"), []byte(row.table), 0o600)
		}
		if err == nil {
			err = u.settle()
		}
		if !b.check(err) {
			return
		}
		list = append(list, u.codex(row.name))
	}
	f, err := b.measure(max(b.rounds/4, 3), list...)
	if !b.check(err) {
		return
	}
	fmt.Print("\n## Bridges\n\nA start with a bridge of the account's own is supervised. A request through a bridge: `go test ./internal/bridge -run '^TestOverhead$' -v`.\n")
	table(list, f, 0)
}
