package shim

import (
	"fmt"
	"strings"

	"swop/config"
	"swop/internal/disk"
	"swop/internal/say"
)

// GuardVariable carries the loop guard from a shim to what it execs.
const GuardVariable = "SWOP_EXEC"

// maxStarts is how many starts of codex below each other are a loop: sessions in sessions are fewer.
const maxStarts = 16

// guard is the loop guard: the program that a shim started. It is in the environment, as cmd/go's GOTOOLCHAIN_INTERNAL_SWITCH_COUNT is.
// Wrappers may drop it: [countStart] notes the number of starts where wrappers cannot reach it.
type guard struct {
	pid, parent int    // of the shim that wrote it: both, since everything that codex starts inherits the guard, and pids are used again
	starts      int    // how often a shim started a codex on the way to that process, itself included
	program     FileID // the program that the last of these starts execs
}

const guardForm = "%d:%d:%d=%d.%d"

// parseGuard returns the guard in env, the zero value where env has no valid one.
func parseGuard(env config.Env) (g guard) {
	text := env.Value(GuardVariable)
	if text == "" { // nearly always
		return guard{}
	}
	if _, err := fmt.Sscanf(text, guardForm, &g.pid, &g.parent, &g.starts, &g.program.Device, &g.program.Inode); err != nil {
		return guard{}
	}
	return g
}

// String returns the guard as PID:PARENT:STARTS=DEVICE.INODE, in decimal.
func (g guard) String() string {
	return fmt.Sprintf(guardForm, g.pid, g.parent, g.starts, g.program.Device, g.program.Inode)
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
	Program string // the name of its program's file
	Guard   string // the loop guard that it was started with, "" for none
}

// isCodex reports whether the real codex runs in a, whose programs are called codex, or codex with a platform.
func (a Ancestor) isCodex() bool {
	return strings.HasPrefix(a.Program, "codex") && !strings.HasPrefix(a.Program, "codex-swop")
}

// passOver goes on from the wrapper that this call came through to the program behind it. g is the guard in the environment, the zero value
// without one, and starts is the number of starts before this call. A wrapper that a shim started in a process above is passed over unless
// a real codex runs below that process: the sessions of that codex have calls of their own. Starts that no guard names happened in this
// very process, which was a wrapper each time.
func (c *Call) passOver(d *Decision, g guard, starts int) error {
	below := false
	above, err := c.Above()
	if err != nil {
		return err
	}
	for _, a := range above {
		if g.pid == 0 {
			g = parseGuard(config.Env{GuardVariable + "=" + a.Guard})
		}
		if below = below || a.isCodex(); a.PID == g.pid && !below {
			return c.next(d, g.program)
		}
	}
	for lost := starts - g.starts; lost > 0 && d.Program.isWrapper(); lost-- {
		if err := c.next(d, d.Program.ID); err != nil {
			return err
		}
	}
	return nil
}

// next goes on to the program behind the wrapper. Without such a program the wrapper runs again, up to [maxStarts].
func (c *Call) next(d *Decision, wrapper FileID) error {
	next, err := c.find(d, wrapper)
	if err == nil {
		d.Program = next
	}
	return disk.Ignore(err, ErrNoCodex)
}
