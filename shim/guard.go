package shim

import (
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"strings"

	"swop/config"
	"swop/internal/say"
)

// GuardVariable carries the loop guard from a shim to what it execs.
const GuardVariable = "SWOP_EXEC"

// maxHops is how often the same call may come back through child processes before it is a loop: a wrapper that calls codex.
const maxHops = 4

// guard is the loop guard, kept in the environment as cmd/go keeps GOTOOLCHAIN_INTERNAL_SWITCH_COUNT: what shims have exec'd so
// far on the way to this process.
type guard struct {
	pid, parent int      // of the shim that wrote it: both, since everything that codex starts inherits the guard, and pids are used again
	hop         int      // how often the same call came by, this one included
	call        uint64   // hash of argv, working directory and account
	seen        []FileID // the files that this process was already, the shim among them: they are not exec'd again
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
	if len(n) < 6 || len(n)%2 != 0 {
		return guard{}, false
	}
	g = guard{pid: int(n[0]), parent: int(n[1]), hop: int(n[2]), call: n[3]}
	for id := range slices.Chunk(n[4:], 2) {
		g.seen = append(g.seen, FileID{id[0], id[1]})
	}
	return g, true
}

// String returns the guard as PID:PARENT:HOP:CALL=DEVICE.INODE,…, in decimal.
func (g guard) String() string {
	var ids []string
	for _, id := range g.seen {
		ids = append(ids, fmt.Sprintf("%d.%d", id.Device, id.Inode))
	}
	return fmt.Sprintf("%d:%d:%d:%d=%s", g.pid, g.parent, g.hop, g.call, strings.Join(ids, ","))
}

// next returns the guard of the process with this pid and parent, from the one that it was started with. In a process that a shim exec'd,
// what was exec'd so far is seen; a child starts with none seen, and counts how often the same call came by.
func (g guard) next(pid, parent int, call uint64, self FileID, sameProcess bool) guard {
	n := guard{pid: pid, parent: parent, hop: 1, call: call, seen: []FileID{self}}
	switch {
	case sameProcess:
		n.hop, n.seen = g.hop, g.with(self).seen
	case g.call == call && g.hop > 0:
		n.hop = g.hop + 1
	}
	return n
}

func (g guard) with(id FileID) guard {
	if !slices.Contains(g.seen, id) {
		g.seen = append(slices.Clone(g.seen), id)
	}
	return g
}

// loop returns an error if the call came back for the fourth time: codex is a wrapper that calls codex.
func (g guard) loop(program Program) error {
	if g.hop < maxHops {
		return nil
	}
	err := fmt.Errorf("codex calls itself without end: %s runs codex again", program.Path)
	hint := "let " + program.Path + ` name the real codex by its path, or set codex = "/path/to/codex" in config.toml`
	return say.WithHint(&cannotRun{err}, hint)
}

// callHash is FNV-1a over argv, working directory and account, each ended by a byte that none of them contains.
func callHash(args []string, dir, acct string) uint64 {
	h := fnv.New64a()
	for _, text := range append(slices.Clone(args), dir, acct) {
		_, _ = io.WriteString(h, text+"\x00") // it never fails
	}
	return h.Sum64()
}
