package shim

import (
	"fmt"
	"hash/fnv"
	"io"
	"math"
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
	pid  int      // of the shim that wrote it
	when uint64   // clock ticks since boot when it was written, to tell a reused pid; 0 where it is not known
	hop  int      // how often the same call came by, this one included
	call uint64   // hash of argv, working directory and account
	seen []FileID // the files that this process was already, the shim among them: they are not exec'd again
}

// parseGuard returns the guard in env, and whether env has a valid one.
func parseGuard(env config.Env) (g guard, ok bool) {
	fields := strings.Split(env.Value(GuardVariable), ":")
	if len(fields) != 5 {
		return guard{}, false
	}
	numbers := make([]uint64, 4)
	for i, base := range []int{10, 10, 10, 16} {
		var err error
		if numbers[i], err = strconv.ParseUint(fields[i], base, 64); err != nil || i != 1 && base == 10 && numbers[i] > math.MaxInt {
			return guard{}, false
		}
	}
	g = guard{pid: int(numbers[0]), when: numbers[1], hop: int(numbers[2]), call: numbers[3]}
	for _, text := range strings.Split(fields[4], ",") {
		device, inode, _ := strings.Cut(text, ".")
		d, err1 := strconv.ParseUint(device, 16, 64)
		i, err2 := strconv.ParseUint(inode, 16, 64)
		if err1 != nil || err2 != nil {
			return guard{}, false
		}
		g.seen = append(g.seen, FileID{d, i})
	}
	return g, true
}

func (g guard) String() string {
	b := make([]byte, 0, 128)
	b = strconv.AppendInt(b, int64(g.pid), 10)
	b = append(b, ':')
	b = strconv.AppendUint(b, g.when, 10)
	b = append(b, ':')
	b = strconv.AppendInt(b, int64(g.hop), 10)
	b = append(b, ':')
	b = strconv.AppendUint(b, g.call, 16)
	for i, id := range g.seen {
		b = append(b, ":,"[min(i, 1)])
		b = strconv.AppendUint(b, id.Device, 16)
		b = append(b, '.')
		b = strconv.AppendUint(b, id.Inode, 16)
	}
	return string(b)
}

// next returns the guard of this process, from the one that it was started with. In a process that a shim exec'd, what was exec'd
// so far is seen; a child starts with none seen, and counts how often the same call came by.
func (g guard) next(pid int, now, call uint64, self FileID, sameProcess bool) guard {
	n := guard{pid: pid, when: now, hop: 1, call: call, seen: []FileID{self}}
	switch {
	case sameProcess:
		n.hop, n.seen = g.hop, appendID(g.seen, self)
	case g.call == call && g.hop > 0:
		n.hop = g.hop + 1
	}
	return n
}

func (g guard) with(id FileID) guard {
	g.seen = appendID(g.seen, id)
	return g
}

func appendID(list []FileID, id FileID) []FileID {
	if slices.Contains(list, id) {
		return list
	}
	return append(list[:len(list):len(list)], id)
}

// loop returns an error if the call came back for the fourth time: codex is a wrapper that calls codex.
func (g guard) loop(shim func() (string, error), program Program) error {
	if g.hop < maxHops {
		return nil
	}
	path, err := shim()
	if err != nil {
		path = "swop"
	}
	err = fmt.Errorf("codex calls itself without end: %s runs %s, which runs codex again", path, program.Path)
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
