package shim

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"swop/config"
	"swop/internal/say"
)

// GuardVariable carries the loop guard from a shim to what it execs.
const GuardVariable = "SWOP_EXEC"

// maxStarts is how many starts of codex below each other are a loop: sessions in sessions are fewer.
const maxStarts = 16

// guard is the loop guard, kept in the environment as cmd/go keeps GOTOOLCHAIN_INTERNAL_SWITCH_COUNT: what a shim started. Wrappers may
// drop it: the number of starts alone is also kept where they cannot reach it, by [countStart].
type guard struct {
	pid, parent int      // of the shim that wrote it: both, since everything that codex starts inherits the guard, and pids are used again
	starts      int      // of a codex by a shim, on the way to that process, its own included
	seen        []FileID // the files that the process was already, the shim among them, and the wrappers that it passed over
}

// parseGuard returns the guard in env, and whether env has a valid one.
func parseGuard(env config.Env) (g guard, ok bool) {
	var n []uint64
	for _, field := range strings.FieldsFunc(env.Value(GuardVariable), func(r rune) bool { return strings.ContainsRune(":=,.", r) }) {
		v, err := strconv.ParseUint(field, 10, 64)
		if err != nil {
			return guard{}, false
		}
		n = append(n, v)
	}
	if len(n) < 5 || len(n)%2 != 1 {
		return guard{}, false
	}
	g = guard{pid: int(n[0]), parent: int(n[1]), starts: int(n[2])}
	for id := range slices.Chunk(n[3:], 2) {
		g.seen = append(g.seen, FileID{id[0], id[1]})
	}
	return g, true
}

// String returns the guard as PID:PARENT:STARTS=DEVICE.INODE,…, in decimal.
func (g guard) String() string {
	var ids []string
	for _, id := range g.seen {
		ids = append(ids, fmt.Sprintf("%d.%d", id.Device, id.Inode))
	}
	return fmt.Sprintf("%d:%d:%d=%s", g.pid, g.parent, g.starts, strings.Join(ids, ","))
}

func (g guard) with(id FileID) guard {
	if !slices.Contains(g.seen, id) {
		g.seen = append(slices.Clone(g.seen), id)
	}
	return g
}

// loop returns an error if this is the start after the last one that is allowed.
func (g guard) loop(program Program) error {
	if g.starts < maxStarts {
		return nil
	}
	err := fmt.Errorf("codex calls itself without end: %s runs codex again", program.Path)
	hint := "let " + program.Path + ` name the real codex by its path, or set codex = "/path/to/codex" in config.toml`
	return say.WithHint(&cannotRun{err}, hint)
}

// An Ancestor is a process above this one.
type Ancestor struct {
	PID     int
	Program string // that runs in it: the name of its file
	Guard   string // the loop guard that it was started with, "" for none
}

// isCodex reports whether the real codex runs in a, whose programs are called codex, or codex with a platform.
func (a Ancestor) isCodex() bool {
	return strings.HasPrefix(a.Program, "codex") && !strings.HasPrefix(a.Program, "codex-swop")
}

// passOver goes on from the wrappers that this call came through to the program behind them. g is the guard of the environment, the zero
// value where that has none. A wrapper that a shim started in a process above is passed over unless a real codex runs below that: its
// sessions have their own calls. Starts that no guard tells of happened in this very process, which then was a wrapper each time.
func (c *Call) passOver(d *Decision, g guard) error {
	inCall, below := false, false
	for _, a := range c.Above() {
		if g.pid == 0 {
			g, _ = parseGuard(config.Env{GuardVariable + "=" + a.Guard})
		}
		if below = below || a.isCodex(); a.PID == g.pid {
			inCall = !below
			break
		}
	}
	lost := d.guard.starts - 1 - g.starts
	for ; (lost > 0 || inCall && slices.Contains(g.seen, d.Program.ID)) && d.Program.isWrapper(); lost-- {
		d.guard = d.guard.with(d.Program.ID)
		next, err := c.find(d)
		if errors.Is(err, ErrNoCodex) {
			return nil // the wrapper is all that is left, and runs up to the bound
		}
		if err != nil {
			return err
		}
		d.Program = next
	}
	return nil
}
