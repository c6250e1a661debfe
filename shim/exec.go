package shim

import (
	"fmt"
	"os"
	"path/filepath"

	"swop/config"
	"swop/internal/disk"
	"swop/internal/say"
)

// Start starts the decided program by exec, which is [Exec] or does as [Exec] does, and returns its error.
func (d *Decision) Start(exec func(path string, args []string, env config.Env) error) error {
	l, _ := d.launch()
	return d.start(l, exec)
}

// launch returns what to exec. It reports false where codex-swop is to ask a launcher, or to note where codex is, first.
func (d *Decision) launch() (Launch, bool) {
	l, known := d.Program.Launch(&d.Invocation.Places, d.Args, d.Env, d.Settings.Launch)
	return l, known && !d.ToNote()
}

func (d *Decision) start(l Launch, exec func(path string, args []string, env config.Env) error) error {
	countStart(d.guard.starts)
	_ = os.Chdir(d.dir) // "" is none
	if l.Path != d.Program.Path {
		raiseFileLimit()
	}
	if err := exec(l.Path, l.Args, l.Env); err != nil {
		countStart(d.guard.starts - 1) // or the next try would take the program for a wrapper that ran
		return &cannotRun{err}
	}
	return nil
}

// execSibling starts codex-swop, which lies beside the shim, in this process.
func (c *Call) execSibling(argv0 string, args ...string) error {
	path, err := c.Executable()
	if err != nil { // Linux tells it in /proc
		return say.WithHint(&cannotRun{fmt.Errorf("cannot find swop's own program: %w", err)}, "sudo mount -t proc proc /proc")
	}
	err = Exec(filepath.Join(filepath.Dir(path), "codex-swop"+disk.Exe), append([]string{argv0}, args...), c.Env)
	return say.WithHint(&cannotRun{err}, "install swop again: codex and codex-swop belong in one directory")
}

// PassOn starts the next codex behind this one under an account that an earlier shim prepared, with the environment that this made. It
// returns only if that failed.
func (c *Call) PassOn(r Reader, p Prepared, env config.Env) error {
	d := Decision{Args: c.Args, Prepared: p, Invocation: Invocation{Caller: Caller{Env: env}}}
	d.Invocation.SetDir(c.Args)
	err := c.withoutAccount(&d)
	if err == nil && kindOf(c.Args) == ordinary {
		err = c.checkConfig(r, &d)
	}
	if err == nil {
		err = d.Start(Exec)
	}
	return err
}

// findProgram finds the real codex, and writes the guard for it. The error is of a loop, or wraps [ErrNoCodex].
func (c *Call) findProgram(d *Decision) (err error) {
	g := parseGuard(c.Env)
	starts := max(countedStarts(), g.starts)
	var wrapper FileID // the program that this process was before, if that was a wrapper
	if isFrom(g) {
		wrapper = g.program
	}
	if d.Program, err = c.find(d, wrapper); err != nil {
		return err
	}
	if !isFrom(g) && starts > 0 && d.Program.isWrapper() {
		if err := c.passOver(d, g, starts); err != nil {
			return err
		}
	}
	d.guard = guard{os.Getpid(), os.Getppid(), starts + 1, d.Program.ID}
	return d.guard.loop(d.Program)
}

// find returns the real codex behind the wrapper; the zero FileID is no wrapper.
func (c *Call) find(d *Decision, wrapper FileID) (Program, error) {
	path, _ := c.Executable() // without a path the shim is known by its sibling
	return d.Invocation.Find(&d.Settings, path, wrapper)
}
