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
	only := flag.String("only", "", "print this section alone: untouched, changed, flat, launcher, manager, confined")
	flag.Parse()
	if err := b.run(*only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is one run.
type bench struct {
	rounds int
	dir    string // where everything is made
	failed []error
}

var sections = []struct {
	name  string
	print func(*bench)
}{
	{"untouched", (*bench).untouched},
	{"changed", (*bench).changed},
	{"flat", (*bench).flat},
	{"launcher", (*bench).launcher},
	{"manager", (*bench).manager},
	{"confined", (*bench).confined},
}

func (b *bench) run(only string) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp(cache, "swop-bench-"); err != nil { // codex refuses homes in the system's temporary directory
		return err
	}
	defer os.RemoveAll(b.dir)
	if err := b.build(); err != nil {
		return err
	}
	if only == "" {
		fmt.Print(intro)
		fmt.Printf("Measured on %s.\n", machine())
	}
	for _, s := range sections {
		if only == "" || only == s.name {
			s.print(b)
		}
	}
	return errors.Join(b.failed...)
}

const intro = `# What it costs

A shim is paid for on every call. The yardstick is a Go program that does nothing but exec the same target, a static C program. All of this page is
printed by one command, which needs gcc and npm:

    go run ./internal/test/bench >docs/evidence/benchmarks.md

Ratios are to the first row of the same table, measured in the same run, or to the row that is called the yardstick; figures are lower quartiles.
Each program is measured over ten copies, one after the other: where one copy lies in memory moves a figure by some hundredths, and at times by a fifth.

`

// programs are those that build makes.
var programs = []string{"target", "measure", "yardstick", "bin/codex", "bin/codex-swop"}

func (b *bench) build() error {
	target := b.path("target")
	for _, args := range [][]string{
		{"gcc", "-O2", "-Wall", "-static", "-o", target + ".new", "internal/test/bench/c/target.c"},
		{"gcc", "-O2", "-Wall", "-static", "-o", b.path("measure.new"), "internal/test/bench/c/measure.c"},
		{"gcc", "-O2", "-Wall", "-static", "-o", b.path("memory"), "internal/test/bench/c/memory.c"},
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
	return b.copyPrograms()
}

// copyPrograms writes every program again. A start is a few percent faster or slower with where the kernel puts the pages of its file,
// until the file is written again.
func (b *bench) copyPrograms() error {
	for _, name := range programs {
		text, err := os.ReadFile(b.path(name + ".new"))
		if err != nil {
			return err
		}
		if err := os.WriteFile(b.path(name), text, 0o755); err != nil {
			return err
		}
	}
	return nil
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
