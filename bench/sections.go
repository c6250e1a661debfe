//go:build linux

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func (b *bench) yardstick() candidate {
	return candidate{"Go, exec only: the yardstick", []string{"HOME=/", "PATH=/usr/bin"}, []string{b.path("yardstick")}}
}

func (b *bench) untouched() {
	u, err := b.scene("untouched", b.path("target"), everyday)
	if !b.check(err) {
		return
	}
	bypassed := u.codex("codex, no account (SWOP_ACCOUNT unset, none active)")
	bypassed.env = []string{"HOME=" + b.path("nobody"), "PATH=" + u.path}
	if !b.check(os.MkdirAll(b.path("nobody"), 0o755)) {
		return
	}
	list := []candidate{
		{"the target itself", u.env(), []string{b.path("target")}},
		{"C trampoline", u.env(), []string{b.path("trampoline")}},
		b.yardstick(),
		bypassed,
		u.codex("codex, as the active account"),
	}
	f, err := b.measure(b.rounds, nil, list...)
	if !b.check(err) {
		return
	}
	fmt.Print("\n## Untouched\n\nNothing moved since the last look; 54 entries in each of the two homes. Bounds: 1.25 for time, 2 for memory.\n")
	table(list, f, 2)
}

func (b *bench) touched() {
	codex, model, err := b.realCodex()
	if !b.check(err) {
		return
	}
	defer model.Close()
	u, err := b.scene("touched", codex, everyday)
	if !b.check(err) || !b.check(u.prepareReal(model)) {
		return
	}
	target := b.path("with-target")
	if !b.check(os.Mkdir(target, 0o755)) || !b.check(os.Symlink(b.path("target"), filepath.Join(target, "codex"))) {
		return
	}
	start := u.codex("codex, touched")
	start.env = []string{"HOME=" + u.home, "PATH=" + b.path("bin") + ":" + target + ":/usr/bin:/bin"}
	before := candidate{env: u.env(), args: []string{u.script("before.sh", realRun)}}
	list := []candidate{b.yardstick(), start}
	f, err := b.measure(max(b.rounds/10, 3), &before, list...)
	if !b.check(err) {
		return
	}
	fmt.Printf("\n## Touched\n\nDirectly after a real `codex exec` of %s ran in the account and a shell wrote its history, %d times: the times of both homes moved.\nBound: 1.35.\n", codexVersion, max(b.rounds/10, 3))
	table(list, f, 0)
	again, err := b.measure(b.rounds, nil, list...)
	if b.check(err) {
		list[1].name = "codex, once all has settled"
		table(list, again, 0)
	}
}

func (b *bench) flat() {
	fmt.Print("\n## Flat\n\nThe untouched start, by what there is. Bounds: within 10 % of the first row, with 1,000 bindings 2 times it.\n\n")
	fmt.Print("| accounts | entries in each home | bindings | wall, ratio | CPU, ratio | CPU to the first row |\n|--:|--:|--:|--:|--:|--:|\n")
	sizes := []size{
		{54, 1, 0}, {54, 100, 0}, {54, 10000, 0}, {10, 1, 0}, {1000, 1, 0}, {10000, 1, 0}, {54, 1, 50}, {54, 1, 1000},
	}
	list := []candidate{b.yardstick()}
	for i, s := range sizes {
		u, err := b.scene(fmt.Sprintf("flat%d", i), b.path("target"), s)
		if !b.check(err) {
			return
		}
		list = append(list, u.codex(""))
	}
	f, err := b.measure(b.rounds, nil, list...)
	if !b.check(err) {
		return
	}
	for i, s := range sizes {
		g := f[i+1]
		fmt.Printf("| %d | %d | %d | %.2f | %.2f | %.2f |\n", s.accounts, s.entries, s.bindings, g.wall/f[0].wall, g.cpu/f[0].cpu, g.cpu/f[1].cpu)
	}
}

func (b *bench) first() {
	const entries = 10000
	fmt.Printf("\n## A first start\n\nThe first start of an account links %d entries of the real home. Bound: 10 times the bare system calls.\n\n", entries)
	fmt.Print("| | time |\n|---|--:|\n")
	var bare, start []float64
	for i := range 5 {
		u, err := b.scene(fmt.Sprintf("first%d", i), b.path("target"), size{entries: entries, accounts: 1})
		if !b.check(err) || !b.check(u.swop("add", "new", "--no-login")) || !b.check(u.forget("new")) {
			return
		}
		cmd := exec.Command(b.path("bin/codex"))
		cmd.Env = append(u.env(), "SWOP_ACCOUNT=new")
		began := time.Now()
		out, err := cmd.CombinedOutput()
		if err != nil && !b.check(fmt.Errorf("codex: %w: %s", err, out)) {
			return
		}
		start = append(start, float64(time.Since(began)))
		dir := b.path(fmt.Sprintf("links%d", i))
		if !b.check(os.Mkdir(dir, 0o755)) {
			return
		}
		text, err := exec.Command(b.path("symlinks"), dir, strconv.Itoa(entries)).Output()
		ns, convErr := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
		if !b.check(err) || !b.check(convErr) {
			return
		}
		bare = append(bare, ns)
	}
	fmt.Printf("| symlinkat(2), %d times | %.0f ms |\n| the first start | %.0f ms |\n| ratio | %.1f |\n", entries, quartile(bare)/1e6, quartile(start)/1e6, quartile(start)/quartile(bare))
}

// forget takes away what the account was shown, so that it has its first start before it.
func (u scene) forget(key string) error {
	dir := filepath.Join(u.home, ".swop", "accounts", key)
	entries, err := os.ReadDir(filepath.Join(dir, "home"))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Type()&os.ModeSymlink != 0 {
			if err := os.Remove(filepath.Join(dir, "home", e.Name())); err != nil {
				return err
			}
		}
	}
	if err := os.Remove(filepath.Join(dir, "stamp")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (b *bench) manager() {
	u, err := b.scene("manager", b.path("target"), size{entries: 54, accounts: 1000})
	if !b.check(err) {
		return
	}
	fmt.Print("\n## The manager\n\nVerbs of `codex swop`, started through the shim, with 1,000 accounts.\n\n| | wall | bound | ratio |\n|---|--:|--:|--:|\n")
	list := []candidate{b.yardstick(), u.codex("list", "swop", "list"), u.codex("which", "swop", "which"), u.codex("which --short", "swop", "which", "--short"), u.codex("labels for completion", "swop", "__complete", "use", "")}
	f, err := b.measure(max(b.rounds/20, 3), nil, list...)
	if !b.check(err) {
		return
	}
	for i, bound := range []int{0, 100, 20, 20, 20} {
		if i > 0 {
			fmt.Printf("| %s | %.1f ms | %d ms | %.1f |\n", list[i].name, f[i].wall/1e3, bound, f[i].wall/f[0].wall)
		}
	}
}
