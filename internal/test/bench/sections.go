//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"

	"swop/internal/test/e2e/realcodex"
)

func (b *bench) yardstick() candidate {
	return candidate{name: "Go, exec only: the yardstick", env: []string{"HOME=/", "PATH=/usr/bin"}, args: []string{b.path("yardstick")}}
}

func (b *bench) untouched() {
	u, err := b.scene("untouched", b.path("target"), everyday)
	if !b.check(err) || !b.check(os.MkdirAll(b.path("nobody"), 0o755)) {
		return
	}
	bypassed := u.codex("codex, no account (SWOP_ACCOUNT unset, none active)")
	bypassed.env = []string{"HOME=" + b.path("nobody"), "PATH=" + u.path}
	list := []candidate{b.yardstick(), bypassed, u.codex("codex, as the active account")}
	f, err := b.measureCopies(b.rounds, list...)
	if b.check(err) && b.check(b.atExec(list, f)) {
		fmt.Print("\n## Untouched\n\nNothing changed since the last look; 54 entries in each of the two homes. Memory is what a program has when it execs the next one; " +
			"in the other tables it is what getrusage says.\nBounds, on a quiet machine: 1.45 for time, 2.0 for memory.\n")
		table(list, f)
	}
}

func (b *bench) flat() {
	sizes := []size{{54, 1, 0}, {54, 10000, 0}, {10000, 1, 0}, {54, 1, 500}}
	list := []candidate{b.yardstick()}
	for i, s := range sizes {
		u, err := b.scene(fmt.Sprintf("flat%d", i), b.path("target"), s)
		if !b.check(err) {
			return
		}
		list = append(list, u.codex(fmt.Sprintf("accounts: %d, entries in each home: %d, bindings: %d", s.accounts, s.entries, s.bindings)))
	}
	f, err := b.measureCopies(b.rounds, list...)
	if b.check(err) {
		fmt.Print("\n## Flat\n\nThe untouched start, by what there is. Bound: within 10 % of the first row after the yardstick; bindings are read, each one.\n")
		table(list, f)
	}
}

// realCodex returns the path of npm's launcher of the real Codex.
func (b *bench) realCodex() (string, error) {
	cache, err := realcodex.CacheDir()
	if err != nil {
		return "", err
	}
	dir, err := realcodex.Install(background, cache, realcodex.Version)
	return filepath.Join(dir, "codex"), err
}

func (b *bench) launcher() {
	launcher, err := b.realCodex()
	if !b.check(err) {
		return
	}
	u, err := b.scene("launcher", launcher, everyday)
	if !b.check(err) {
		return
	}
	asInstalled, err := b.scene("as-installed", launcher, everyday)
	if !b.check(err) || !b.check(asInstalled.configure(`launch = "as-installed"`)) {
		return
	}
	list := []candidate{
		{name: "npm's launcher, without swop", env: u.env(), args: []string{launcher, "--version"}},
		u.codex("swop", "--version"),
		asInstalled.codex(`swop, launch = "as-installed"`, "--version"),
	}
	f, err := b.measure(max(b.rounds/6, 3), list...)
	if b.check(err) {
		fmt.Printf("\n## Against npm's launcher\n\n`codex --version` of %s. Bound of the fast start: 0.25.\n", realcodex.Version)
		table(list, f)
	}
}

func (b *bench) manager() {
	u, err := b.scene("manager", b.path("target"), size{entries: 54, accounts: 1000})
	if !b.check(err) {
		return
	}
	list := []candidate{
		b.yardstick(), u.codex("list", "swop", "list"), u.codex("which", "swop", "which"),
		u.codex("labels for completion", "swop", "__complete", "use", ""),
	}
	f, err := b.measureCopies(max(b.rounds/20, 3), list...)
	if b.check(err) {
		fmt.Print("\n## The manager\n\nVerbs of `codex swop`, started through the shim, with 1,000 accounts. Bounds: `list` 50 ms, the others 20 ms.\n")
		table(list, f)
	}
}

// confined measures a start of the real codex in a confined session.
func (b *bench) confined() {
	codex, err := b.realCodex()
	if !b.check(err) {
		return
	}
	u, err := b.scene("confined", codex, everyday)
	back, wdErr := os.Getwd()
	if !b.check(err) || !b.check(wdErr) {
		return
	}
	work := b.path("workspace")
	if !b.check(os.Mkdir(work, 0o755)) || !b.check(os.Chdir(work)) { // a home itself is no workspace
		return
	}
	defer func() { b.check(os.Chdir(back)) }()
	// each call has its own policy, or a stricter one
	if !b.check(u.swop("add", "confined", "--no-login", "--confine", "danger-full-access")) {
		return
	}
	list := []candidate{u.codex("unconfined", "--version")}
	for _, policy := range []string{"danger-full-access", "workspace-write", "read-only"} {
		c := u.codex(policy, "--version")
		c.env = append(c.env, "SWOP_ACCOUNT=confined", "SWOP_ALLOW_ROOT=1", "SWOP_CONFINE="+policy)
		list = append(list, c)
	}
	f, err := b.measure(max(b.rounds/10, 3), list...)
	if b.check(err) {
		fmt.Printf("\n## Confinement\n\n`codex --version` of %s. Bound of what confinement adds: 20 ms, on a quiet machine.\n", realcodex.Version)
		table(list, f)
		fmt.Printf("\nConfinement adds %.1f ms under workspace-write.\n", (f[2].wall-f[0].wall)/1e3)
	}
}
