//go:build linux

package main

import "fmt"

// sandboxed measures a command in codex's own sandbox, by the verb and by codex's subcommand.
func (b *bench) sandboxed() {
	launcher, model, err := b.realCodex()
	if !b.check(err) {
		return
	}
	model.Close()
	u, err := b.scene(current, "sandboxed", launcher, everyday)
	if !b.check(err) {
		return
	}
	list := []candidate{
		{name: "npm's launcher, without swop: codex sandbox", env: u.env(), args: []string{launcher, "sandbox", "true"}},
		u.codex("codex sandbox", "sandbox", "true"),
		u.codex("codex swop sandbox", "swop", "sandbox", "true"),
	}
	f, err := b.measure(max(b.rounds/10, 3), list...)
	if !b.check(err) {
		return
	}
	fmt.Printf("\n## Codex's own sandbox\n\nThe command `true` in the sandbox of %s.\n", codexVersion)
	table(list, f, 0)
}
