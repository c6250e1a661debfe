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
		fmt.Print("\n## Untouched\n\nNothing changed since the last look; 54 entries in each of the two homes. Memory is what a program has " +
			"when it execs the next one; " +
			"in the other tables it is what getrusage says.\nBound, on a quiet machine: 1.42 of the time.\n")
		table(list, f)
	}
}

// changed measures starts after something changed at the top of HOME.
func (b *bench) changed() {
	fmt.Print("\n## Changed\n\nA start after a file at the top of `~` was replaced, and one after a name came or went there. Bounds: the " +
		"untouched start and 0.15 " +
		"of the yardstick, for 200 entries; 2.5 of the untouched one at 40 entries, 4 at 1,000.\n")
	for _, entries := range []int{40, 200, 1000} {
		list := []candidate{b.yardstick()}
		for _, c := range []struct{ name, change string }{
			{"untouched", ""},
			{"a file was replaced", "REPLACE"},
			{"a name came or went", "TOGGLE"},
		} {
			u, err := b.scene(fmt.Sprintf("changed-%d%s", entries, c.change), b.path("target"), size{entries: entries, accounts: 1})
			if !b.check(err) {
				return
			}
			start := u.codex(fmt.Sprintf("%s, %d entries in each home", c.name, entries))
			if c.change != "" {
				start.env = append([]string{c.change + "=" + filepath.Join(u.home, c.change)}, start.env...)
			}
			list = append(list, start)
		}
		if !b.check(os.WriteFile(b.path(fmt.Sprintf("changed-%dREPLACE/REPLACE", entries)), nil, 0o600)) {
			return
		}
		f, err := b.measureCopies(max(b.rounds/3, 3), list...)
		if b.check(err) {
			table(list, f)
			fmt.Printf("\nWith %d entries, of the untouched start, CPU: %.2f after the replaced file, %.2f after the name.\n",
				entries, f[2].cpu/f[1].cpu, f[3].cpu/f[1].cpu)
		}
	}
}

func (b *bench) flat() {
	sizes := []size{{54, 1}, {54, 10000}, {10000, 1}}
	list := []candidate{b.yardstick()}
	for i, s := range sizes {
		u, err := b.scene(fmt.Sprintf("flat%d", i), b.path("target"), s)
		if !b.check(err) {
			return
		}
		list = append(list, u.codex(fmt.Sprintf("accounts: %d, entries in each home: %d", s.accounts, s.entries)))
	}
	f, err := b.measureCopies(b.rounds, list...)
	if b.check(err) {
		fmt.Print("\n## Flat\n\nThe untouched start, by what there is. Bound: within 10 % of the first row after the yardstick.\n")
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
	programs, err := filepath.Glob(filepath.Join(filepath.Dir(launcher), "..", "@openai", "codex-*", "vendor", "*", "bin", "codex"))
	if !b.check(err) || len(programs) != 1 {
		b.check(fmt.Errorf("programs of %s: %q, want one", launcher, programs))
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
		{name: "the program that both start", env: u.env(), args: []string{programs[0], "--version"}},
	}
	f, err := b.measure(max(b.rounds/6, 3), list...)
	if b.check(err) {
		fmt.Printf("\n## Against npm's launcher\n\n`codex --version` of %s.\n", realcodex.Version)
		table(list, f)
		of := func(what func(figures) float64) float64 { return (what(f[1]) - what(f[3])) / (what(f[0]) - what(f[3])) }
		fmt.Printf("\nOf what the launcher adds to the program, swop adds %.2f of the time, and %.2f of the CPU time. Bound: 0.12.\n",
			of(func(f figures) float64 { return f.wall }), of(func(f figures) float64 { return f.cpu }))
	}
}

func (b *bench) manager() {
	u, err := b.scene("manager", b.path("target"), size{entries: 54, accounts: 1000})
	if !b.check(err) {
		return
	}
	list := []candidate{b.yardstick(), u.codex("list", "swop", "list"), u.codex("which", "swop", "which")}
	f, err := b.measureCopies(max(b.rounds/20, 3), list...)
	if b.check(err) {
		fmt.Print("\n## The manager\n\nVerbs of `codex swop`, started through the shim, with 1,000 accounts. Bounds: `list` 50 ms, " +
			"`which` 20 ms.\n")
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
		fmt.Printf("\n## Confinement\n\n`codex --version` of %s. Bound of what confinement adds: 22 ms, on a quiet machine.\n", realcodex.Version)
		table(list, f)
		fmt.Printf("\nConfinement adds %.1f ms under workspace-write.\n", (f[2].wall-f[0].wall)/1e3)
	}
}
