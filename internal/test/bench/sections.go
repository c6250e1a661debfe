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
	return candidate{name: "Go, exec only: the yardstick", env: []string{"HOME=/", "PATH=/usr/bin"}, args: []string{b.path("yardstick")}}
}

func (b *bench) untouched() {
	users, err := b.scenes("untouched", b.path("target"), everyday)
	if !b.check(err) || !b.check(os.MkdirAll(b.path("nobody"), 0o755)) {
		return
	}
	list := []candidate{
		{name: "the target itself", env: users[0].env(), args: []string{b.path("target")}},
		{name: "C trampoline", env: users[0].env(), args: []string{b.path("trampoline")}},
		b.yardstick(),
	}
	for _, u := range users {
		bypassed := u.codex("codex, no account (SWOP_ACCOUNT unset, none active)")
		bypassed.env = []string{"HOME=" + b.path("nobody"), "PATH=" + u.path}
		list = append(list, bypassed)
	}
	for _, u := range users {
		list = append(list, u.codex("codex, as the active account"))
	}
	f, err := b.measureCopies(b.rounds, list...)
	if !b.check(err) {
		return
	}
	fmt.Print("\n## Untouched\n\nNothing changed since the last look; 54 entries in each of the two homes.\nBounds, on a quiet machine: 1.20 for time, 1.6 for memory.\n")
	table(list, f, 2)
	b.printResident(append(list[2:3:3], list[len(list)-len(users):]...)...)
}

func (b *bench) touched() {
	codex, model, err := b.realCodex()
	if !b.check(err) {
		return
	}
	defer model.Close()
	target := b.path("with-target")
	if !b.check(os.Mkdir(target, 0o755)) || !b.check(os.Symlink(b.path("target"), filepath.Join(target, "codex"))) {
		return
	}
	users, err := b.scenes("touched", codex, everyday)
	if !b.check(err) {
		return
	}
	list := []candidate{b.yardstick()}
	for _, u := range users {
		if !b.check(u.prepareReal(model)) {
			return
		}
		start := u.codex("codex, touched")
		start.env = []string{"HOME=" + u.home, "PATH=" + filepath.Dir(u.program("codex")) + ":" + target + ":/usr/bin:/bin"}
		start.before = &candidate{env: u.env(), args: []string{u.script("before.sh", realRun)}}
		list[0].before = start.before
		list = append(list, start)
	}
	rounds := max(b.rounds/10, 3)
	f, err := b.measureCopies(rounds, list...)
	if !b.check(err) {
		return
	}
	fmt.Printf("\n## Touched\n\nDirectly after a real `codex exec` of %s ran in the account and a shell wrote its history, %d times: the times of both homes changed.\nBound: 1.35.\n", codexVersion, rounds)
	table(list, f, 0)
	for i := range list {
		list[i].before = nil
		list[i].name = strings.Replace(list[i].name, "touched", "once everything has settled", 1)
	}
	again, err := b.measureCopies(b.rounds, list...)
	if b.check(err) {
		table(list, again, 0)
	}
}

// replaceOne replaces a link in the account's home by a file, as sed -i does.
const replaceOne = `#!/bin/sh
cd "$HOME/.swop/accounts/work/home" && date +%N >replaced.new && mv replaced.new entry9
`

func (b *bench) replaced() {
	users, err := b.scenes("replaced", b.path("target"), everyday)
	if !b.check(err) {
		return
	}
	list := []candidate{b.yardstick()}
	for _, u := range users {
		start := u.codex("codex, a file of the home was replaced in a session")
		start.before = &candidate{env: u.env(), args: []string{u.script("before.sh", replaceOne)}}
		list = append(list, start)
	}
	rounds := max(b.rounds/5, 3)
	f, err := b.measureCopies(rounds, list...)
	if !b.check(err) {
		return
	}
	fmt.Printf("\n## One replaced file\n\nA session replaced one link of the home by a file, which takes the shared one's place; that is kept. %d times.\n", rounds)
	if len(list) > 2 {
		fmt.Print("Bound: 1.5 times the earlier build.\n")
	}
	table(list, f, 0)
}

// flatSizes are the rows of the table "Flat"; the earlier build is only measured with the first few.
var flatSizes = []size{
	{54, 1, 0}, {54, 100, 0}, {54, 10000, 0}, {10, 1, 0}, {1000, 1, 0}, {10000, 1, 0}, {54, 1, 50}, {54, 1, 1000},
}

const flatBefore = 2

func (b *bench) flat() {
	fmt.Print("\n## Flat\n\nThe untouched start, by what there is. Bounds: within 10 % of the first row, with 1,000 bindings 2 times it.\n\n")
	fmt.Print("| | accounts | entries in each home | bindings | wall, ratio | CPU, ratio | CPU to the first row |\n|---|--:|--:|--:|--:|--:|--:|\n")
	list := []candidate{b.yardstick()}
	var sizes []size
	var first []int // for each candidate, which one is the first row of its version
	for _, v := range b.versions() {
		start := len(list)
		for i, s := range flatSizes {
			if v == earlier && i >= flatBefore {
				break
			}
			u, err := b.scene(v, fmt.Sprintf("flat%d", i), b.path("target"), s)
			if !b.check(err) {
				return
			}
			list, sizes, first = append(list, u.codex("codex")), append(sizes, s), append(first, start)
		}
	}
	f, err := b.measureCopies(b.rounds, list...)
	if !b.check(err) {
		return
	}
	for i, s := range sizes {
		g := f[i+1]
		fmt.Printf("| %s | %d | %d | %d | %.2f | %.2f | %.2f |\n", list[i+1].name, s.accounts, s.entries, s.bindings, g.wall/f[0].wall, g.cpu/f[0].cpu, g.cpu/f[first[i]].cpu)
	}
}

func (b *bench) first() {
	const entries = 10000
	fmt.Printf("\n## A first start\n\nThe first start of an account links %d entries of the real home. Bound: 10 times the bare system calls.\n\n", entries)
	versions := b.versions()
	var bare []float64
	starts := make([][]float64, len(versions))
	for i := range 5 {
		for k := range versions {
			v := (i + k) % len(versions) // in alternating order
			took, err := b.firstStart(versions[v], fmt.Sprintf("first%d", i), entries)
			if !b.check(err) {
				return
			}
			starts[v] = append(starts[v], took)
		}
		took, err := b.bareLinks(b.path(fmt.Sprintf("links%d", i)), entries)
		if !b.check(err) {
			return
		}
		bare = append(bare, took)
	}
	yardstick := quartile(bare)
	fmt.Printf("| | time | ratio |\n|---|--:|--:|\n| symlinkat(2), %d times | %.0f ms | %.1f |\n", entries, yardstick/1e6, 1.0)
	for v, list := range starts {
		took := quartile(list)
		fmt.Printf("| the first start%s | %.0f ms | %.1f |\n", versions[v].suffix, took/1e6, took/yardstick)
	}
}

// firstStart returns how long the first start of an account takes, in nanoseconds.
func (b *bench) firstStart(v version, name string, entries int) (float64, error) {
	u, err := b.scene(v, name, b.path("target"), size{entries: entries, accounts: 1})
	if err == nil {
		err = u.swop("add", "new", "--no-login")
	}
	if err == nil {
		err = u.forget("new")
	}
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(u.program("codex"))
	cmd.Env = append(u.env(), "SWOP_ACCOUNT=new")
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("codex: %w: %s", err, out)
	}
	return float64(time.Since(began)), nil
}

// bareLinks returns how long the system calls take that make this many links in dir, which it makes, in nanoseconds.
func (b *bench) bareLinks(dir string, entries int) (float64, error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return 0, err
	}
	text, err := exec.Command(b.path("symlinks"), dir, strconv.Itoa(entries)).Output()
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
}

// forget removes the links and the stamp of the account, so that its next start is its first.
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

// verbs are the rows of the table "The manager", with the bound of each in milliseconds.
var verbs = []struct {
	name  string
	args  []string
	bound int
}{
	{"list", []string{"swop", "list"}, 100},
	{"which", []string{"swop", "which"}, 20},
	{"which --short", []string{"swop", "which", "--short"}, 20},
	{"labels for completion", []string{"swop", "__complete", "use", ""}, 20},
}

func (b *bench) manager() {
	users, err := b.scenes("manager", b.path("target"), size{entries: 54, accounts: 1000})
	if !b.check(err) {
		return
	}
	list := []candidate{b.yardstick()}
	for _, verb := range verbs {
		for _, u := range users {
			list = append(list, u.codex(verb.name, verb.args...))
		}
	}
	f, err := b.measureCopies(max(b.rounds/20, 3), list...)
	if !b.check(err) {
		return
	}
	fmt.Print("\n## The manager\n\nVerbs of `codex swop`, started through the shim, with 1,000 accounts.\n\n| | wall | bound | ratio |\n|---|--:|--:|--:|\n")
	for i, c := range list[1:] {
		g, verb := f[i+1], verbs[i/len(users)]
		fmt.Printf("| %s | %.1f ms | %d ms | %.1f |\n", c.name, g.wall/1e3, verb.bound, g.wall/f[0].wall)
	}
	if b.before == "" {
		return
	}
	fmt.Print("\nAfter, as a part of before; bound of `which --short`: 0.75.\n\n| | wall | CPU |\n|---|--:|--:|\n")
	for i, verb := range verbs {
		was, is := f[1+2*i], f[2+2*i]
		fmt.Printf("| %s | %.2f | %.2f |\n", verb.name, is.wall/was.wall, is.cpu/was.cpu)
	}
}
