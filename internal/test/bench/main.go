//go:build linux

// Command bench measures what swop costs, and prints docs/evidence/benchmarks.md: go run ./internal/test/bench >docs/evidence/benchmarks.md
//
// Whatever is compared was measured in the same run, in alternating order. Figures are lower quartiles: what a busy machine adds is added
// to the upper ones. All programs are copied before they run: the linker writes its output in small pages, which load slower.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	b := bench{}
	flag.IntVar(&b.rounds, "rounds", 600, "rounds of each measurement")
	flag.StringVar(&b.only, "only", "", "print this section alone")
	flag.StringVar(&b.before, "before", "", "measure the codex and codex-swop in this `directory` too, an earlier build")
	flag.StringVar(&b.user, "user", "", "as root: measure confined starts as this ordinary `user` too")
	flag.StringVar(&b.dir, "built", "", "all programs are built in this `directory`; this is what -user runs")
	flag.Parse()
	if err := b.run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is one run.
type bench struct {
	rounds int
	only   string
	before string // the directory of an earlier build, "" for none
	user   string // who measures confined starts too, "" for nobody
	again  bool   // root has printed the section already
	dir    string // where everything is made
	failed []error
}

// A version is a build of swop. Each has homes of its own: a stamp is only valid for the version that wrote it.
type version struct {
	suffix string // of its rows and homes
	bin    string // the directory of its programs, below that of the run
}

var (
	current = version{"", "bin"}
	earlier = version{", before", "before"}
)

// versions returns the builds that are measured: the earlier one first, where there is one.
func (b *bench) versions() []version {
	if b.before == "" {
		return []version{current}
	}
	return []version{earlier, current}
}

var sections = []struct {
	name  string
	print func(*bench)
}{
	{"untouched", (*bench).untouched},
	{"calls", (*bench).calls},
	{"touched", (*bench).touched},
	{"replaced", (*bench).replaced},
	{"flat", (*bench).flat},
	{"pools", (*bench).pools},
	{"usage", (*bench).usage},
	{"first", (*bench).first},
	{"others", (*bench).others},
	{"manager", (*bench).manager},
	{"bridged", (*bench).bridged},
	{"confined", (*bench).confined},
	{"sandboxed", (*bench).sandboxed},
}

func (b *bench) run() (err error) {
	if b.dir == "" {
		if err := b.make(); err != nil {
			return err
		}
		defer os.RemoveAll(b.dir)
	} else {
		b.again = true
		if err := b.copyPrograms(); err != nil {
			return err
		}
	}
	if b.only == "" {
		fmt.Print(intro)
		fmt.Printf("Measured on %s.\n", machine())
	}
	for _, s := range sections {
		if b.only == "" || b.only == s.name {
			s.print(b)
		}
	}
	return errors.Join(b.failed...)
}

// make builds everything in a directory of its own.
func (b *bench) make() error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp(cache, "swop-bench-"); err != nil { // 0.169 refuses homes in the system's temporary directory
		return err
	}
	if err := b.build(); err != nil {
		return errors.Join(err, os.RemoveAll(b.dir))
	}
	return nil
}

const intro = `# What it costs

A shim is paid for on every call. The yardstick is a Go program that does nothing but exec the same target, a static C program; a C
trampoline is the least that a program in between can cost. All of this page is printed by one command, which needs gcc, strace, npm,
direnv and some minutes:

    go run ./internal/test/bench >docs/evidence/benchmarks.md

With -before DIR the rows "before" show the earlier build that DIR holds, codex and codex-swop, measured in the same run. With -user NAME
root measures confined starts as that user too, who has to be able to read the real codex: SWOP_TEST_CODEX_CACHE says where that is kept.

Ratios are to the yardstick of the same run, unless a table says otherwise; figures are lower quartiles. Starts of codex and its verbs are measured
over ten copies of each program, one after the other: where one copy lies in memory moves a figure by some hundredths, and at times by a fifth.

`

// build makes every program that is measured, each a copy.
func (b *bench) build() error {
	target := filepath.Join(b.dir, "target")
	trampoline := fmt.Sprintf("-DTARGET=%q", target)
	for _, args := range [][]string{
		{"gcc", "-O2", "-Wall", "-static", "-o", target + ".new", "bench/c/target.c"},
		{"gcc", "-O2", "-Wall", "-static", trampoline, "-o", b.path("trampoline.new"), "bench/c/trampoline.c"},
		{"gcc", "-O2", "-Wall", "-static", "-o", b.path("measure.new"), "bench/c/measure.c"},
		{"gcc", "-O2", "-Wall", "-static", "-o", b.path("symlinks.new"), "bench/c/symlinks.c"},
		{"go", "build", "-trimpath", "-ldflags=-X main.target=" + target, "-o", b.path("yardstick.new"), "./internal/test/bench/yardstick"},
		{"go", "build", "-trimpath", "-o", b.path("bin/codex.new"), "./shim/codex"},
		{"go", "build", "-trimpath", "-o", b.path("bin/codex-swop.new"), "./manager/codex-swop"},
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	if b.before != "" {
		if err := os.Mkdir(b.path(earlier.bin), 0o755); err != nil {
			return err
		}
	}
	return b.copyPrograms()
}

// programs are those that build makes.
var programs = []string{"target", "trampoline", "measure", "symlinks", "yardstick", "bin/codex", "bin/codex-swop"}

// copyPrograms writes every program again. A start is a few percent faster or slower with where the kernel puts the pages of its file, until the
// file is written again.
func (b *bench) copyPrograms() error {
	for _, name := range programs {
		if err := copyProgram(b.path(name+".new"), b.path(name)); err != nil {
			return err
		}
	}
	if b.before == "" {
		return nil
	}
	for _, name := range []string{"codex", "codex-swop"} {
		if err := copyProgram(filepath.Join(b.before, name), b.path(filepath.Join(earlier.bin, name))); err != nil {
			return err
		}
	}
	return nil
}

func copyProgram(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o755)
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

// check notes an error: the figures after it are still printed.
func (b *bench) check(err error) bool {
	if err != nil {
		b.failed = append(b.failed, err)
		fmt.Printf("\nFailed: %v\n", err)
	}
	return err == nil
}

var background = context.Background()
