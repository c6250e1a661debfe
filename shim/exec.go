package shim

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"swop/config"
	"swop/internal/disk"
	"swop/internal/say"
)

// Start lets exec, which is [Exec] or does as it does, start what was decided. The error is exec's, nil where that returned none.
func (d *Decision) Start(exec func(path string, args []string, env config.Env) error) error {
	l, _ := d.launch()
	return d.start(l, exec)
}

// launch returns what is to be started; it reports false where codex-swop is still to ask a launcher, or to note where codex is.
func (d *Decision) launch() (Launch, bool) {
	l, known := d.Program.Launch(&d.Invocation.Places, d.Args, d.Env, d.Settings.Launch)
	return l, known && !d.Program.Noted && d.Invocation.isNoted()
}

func (d *Decision) start(l Launch, exec func(path string, args []string, env config.Env) error) error {
	countStart(d.guard.starts)
	if l.Path != d.Program.Path {
		raiseFileLimit()
		if exec(l.Path, l.Args, l.Env) == nil {
			return nil
		}
		// npm may be replacing the package: the launcher, which runs then, says what is wrong
	}
	if err := exec(d.Program.Path, d.Args, d.Env); err != nil {
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

// PassOn starts the next codex behind this one, with the environment env, which a shim before gave it or made for it. It returns only if
// that failed.
func (c *Call) PassOn(env config.Env) error {
	d := Decision{Args: c.Args, Invocation: Invocation{Caller: Caller{Env: env}}}
	if places, err := config.Locate(env, noPasswd); err == nil {
		d.Invocation.Places = places
		d.Settings, _ = config.ReadSettings(places) // the shim before reported what is wrong with it
	}
	if err := c.findProgram(&d); err != nil {
		return err
	}
	d.Env = env.With(GuardVariable, d.guard.String())
	return d.Start(Exec)
}

// findProgram finds the real codex, and the guard of what is started now.
func (c *Call) findProgram(d *Decision) error {
	self, err := c.self()
	if err != nil {
		return err
	}
	g, _ := parseGuard(c.Env)
	before := max(countedStarts(), g.starts)
	d.guard = guard{pid: os.Getpid(), parent: os.Getppid(), starts: before + 1, seen: []FileID{self}}
	if isFrom(g) {
		for _, id := range g.seen {
			d.guard = d.guard.with(id)
		}
	}
	if d.Program, err = c.find(d); err != nil {
		return err
	}
	lost := before > g.starts
	if !isFrom(g) && (lost || slices.Contains(g.seen, d.Program.ID) && d.Program.isWrapper()) {
		if c.Above == nil {
			return errSlow
		}
		if err := c.passOver(d, g); err != nil {
			return err
		}
	}
	d.guard = d.guard.with(d.Program.ID)
	return d.guard.loop(d.Program)
}

// find returns the next program that is the real codex for all that d's guard has seen.
func (c *Call) find(d *Decision) (Program, error) {
	return d.Invocation.find(&d.Settings, d.guard.seen, c.Executable)
}

// self is the identity of the shim.
func (c *Call) self() (FileID, error) {
	path, err := c.Executable()
	if err != nil {
		return FileID{}, err
	}
	own, err := programAt(path)
	if err != nil {
		err = &os.PathError{Op: "stat", Path: path, Err: err}
	}
	return own.ID, err
}
