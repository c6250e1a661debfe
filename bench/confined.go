//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// confined measures a start of the real codex in a confined session.
func (b *bench) confined() {
	codex, model, err := b.realCodex()
	if !b.check(err) {
		return
	}
	defer model.Close()
	u, err := b.scene(current, "confined", codex, everyday)
	if err == nil {
		err = u.settle()
	}
	work := filepath.Join(u.home, "work")
	if !b.check(err) || !b.check(os.MkdirAll(work, 0o755)) {
		return
	}
	back, err := os.Getwd()
	if !b.check(err) || !b.check(os.Chdir(work)) { // the home itself is no workspace
		return
	}
	defer func() { b.check(os.Chdir(back)) }()
	list := []candidate{u.codex("unconfined", "--version")}
	for _, policy := range []string{"danger-full-access", "workspace-write", "read-only"} {
		c := u.codex(policy, "--version")
		c.env = append(c.env, "SWOP_CONFINE="+policy)
		list = append(list, c)
	}
	f, err := b.measure(max(b.rounds/10, 3), list...)
	if !b.check(err) {
		return
	}
	fmt.Printf("\n## Confinement\n\n`codex --version` of %s. Bound of what confinement adds: 25 ms, on a quiet machine.\n", codexVersion)
	table(list, f, 0)
	fmt.Printf("\nConfinement adds %.1f ms under workspace-write.\n", (f[2].wall-f[0].wall)/1e3)
	b.connects(u)
}
