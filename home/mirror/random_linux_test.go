package mirror

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/home/rules"
	"swop/internal/testhome"
)

// A sequence has this many steps: more find the same, later.
const playLength = 40

// TestEngineRandom plays random sequences: SWOP_ENGINE_SEQUENCES of them, or what takes about five seconds, with -short half a second, from
// the seed SWOP_ENGINE_SEED on, until SWOP_ENGINE_FAILURES have failed.
func TestEngineRandom(t *testing.T) {
	s := newStepper(t)
	dir := testhome.Scratch(t)
	usual := uint64(200)
	if testing.Short() {
		usual = 20
	}
	count, seed, most := number("SWOP_ENGINE_SEQUENCES", usual), number("SWOP_ENGINE_SEED", 1), number("SWOP_ENGINE_FAILURES", 3)
	failed := uint64(0)
	for last := seed + count; seed < last && failed < most; seed++ {
		if defects, log := playOnce(t, s, dir, seed, playLength); defects != "" {
			failed++
			shrink(t, s, dir, seed, defects, log)
		}
	}
	t.Logf("played up to the seed %d, %d failed", seed-1, failed)
}

func number(variable string, usual uint64) uint64 {
	n, err := strconv.ParseUint(os.Getenv(variable), 10, 64)
	if err != nil {
		return usual
	}
	return n
}

// shrink reports the shortest beginning of the sequence that fails too. Clocks do not depend on the seed, so that may be the complete
// sequence.
func shrink(t *testing.T, s *stepper, dir string, seed uint64, defects string, log []string) {
	for length := 1; length <= playLength; length++ {
		if found, l := playOnce(t, s, dir, seed, length); found != "" {
			defects, log = fmt.Sprintf("length %d: %s", length, found), l
			break
		}
	}
	t.Errorf("seed %d: %s\n%s", seed, defects, strings.Join(log, "\n"))
}

// playOnce plays one sequence, and returns what it broke and what happened.
func playOnce(t *testing.T, s *stepper, dir string, seed uint64, length int) (defects string, log []string) {
	dir = filepath.Join(dir, fmt.Sprint(seed))
	defer func() { testhome.NoError(t, os.RemoveAll(dir)) }()
	p := newPlay(newWorld(t, dir, "a", "b"), seed)
	err := p.steps(s, length)
	for _, h := range p.held {
		testhome.NoError(t, h.file.Close())
	}
	found := p.defects(err)
	return strings.Join(found, "; "), p.log
}

func (p *play) steps(s *stepper, length int) error {
	for range length {
		switch n := p.rnd.IntN(20); {
		case n < 11:
			p.act()
		case n < 12:
			testhome.Tick(p.t)
		default:
			if err := p.reconcileAmid(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// reconcileAmid reconciles one account while programs go on.
func (p *play) reconcileAmid(s *stepper) error {
	key := []string{"a", "b"}[p.rnd.IntN(2)]
	m := p.activityOf(key)
	p.note("reconcile %s, activity %d", key, m)
	p.stopped = ""
	if m == noProcesses {
		p.stopped = key
	}
	defer func() { p.stopped = "" }()
	if p.rnd.IntN(3) == 0 {
		return p.reconcile(key, m)
	}
	often := 4 + p.rnd.IntN(40)
	_, err := s.run(func() error { return p.reconcile(key, m) }, func(n int, call string) unix.Errno {
		if changes(call) {
			p.note("  %s", p.words(call))
		}
		if p.rnd.IntN(often) == 0 {
			p.act()
		}
		return 0
	})
	if err != nil {
		return fmt.Errorf("reconcile of %s: %w", key, err)
	}
	return nil
}

// changes reports whether a call is one that changes something in a home.
func changes(call string) bool {
	verb, _, _ := strings.Cut(call, " ")
	return slices.Contains([]string{"symlink", "link", "rename", "unlink", "mkdir"}, verb) && !strings.Contains(call, "stamp")
}

// activityOf chooses an activity of the account. No session runs only if no program of it has a file open or is about to rename one.
func (p *play) activityOf(key string) activity {
	for _, h := range p.held {
		if h.by == key {
			return busy
		}
	}
	for _, tmp := range p.temps {
		if tmp.by == key {
			return busy
		}
	}
	return activity(p.rnd.IntN(3))
}

// defects settles all accounts, and returns what is wrong then.
func (p *play) defects(err error) (found []string) {
	if err == nil {
		err = p.settle()
	}
	if err != nil {
		found = append(found, err.Error())
	}
	found = append(found, p.lost()...)
	found = append(found, p.crossed()...)
	for _, stray := range p.strayLogs() {
		found = append(found, "stray log: "+stray)
	}
	if err == nil {
		found = append(found, p.unlike()...)
	}
	return found
}

// lost returns the tokens that are nowhere.
func (p *play) lost() (found []string) {
	all := p.everything()
	for _, t := range p.tokens {
		if !t.gone && !strings.Contains(all, t.text) {
			found = append(found, fmt.Sprintf("%s is lost, which %q wrote to %s", t.text, t.by, t.path))
		}
	}
	return found
}

// crossed returns what is not in the one place where it may be: the logins.
func (p *play) crossed() (found []string) {
	for _, by := range []string{"a", "b", outside} {
		got := testhome.TextOf(filepath.Join(p.dirOf(by), "auth.json"))
		if want, ok := p.auth[by]; ok && got != want {
			found = append(found, fmt.Sprintf("the login of %q is %q, want %q", by, got, want))
		}
		for _, t := range p.tokens {
			if t.private && t.by != by && strings.Contains(got, t.text) {
				found = append(found, fmt.Sprintf("the login %s of %q is that of %q", t.text, t.by, by))
			}
		}
	}
	for _, t := range p.tokens {
		if t.private && t.by != outside && testhome.HoldsText(t.text, p.home, p.kept()) {
			found = append(found, fmt.Sprintf("the login %s of %q is shared or kept", t.text, t.by))
		}
	}
	return found
}

// unlike returns what the accounts do not see alike, and the temporary names that are left.
func (p *play) unlike() (found []string) {
	table := rules.CodexHomeRules(privateNames, account.StateShared)
	for _, key := range p.keys() {
		for _, dir := range []string{p.codex(key), p.shared} {
			list, err := os.ReadDir(dir)
			testhome.NoError(p.t, err)
			for _, entry := range list {
				name := entry.Name()
				target, _ := os.Readlink(filepath.Join(p.codex(key), name)) // "" for what is no link
				switch class := table.Class(name); {
				case class.Linked() && target != filepath.Join(p.shared, name):
					found = append(found, fmt.Sprintf("%s of %s is not the shared one: %q", name, key, target))
				case class == rules.HardLink && inodeOf(filepath.Join(p.codex(key), name)) != inodeOf(filepath.Join(p.shared, name)):
					found = append(found, fmt.Sprintf("%s of %s is another file", name, key))
				}
			}
		}
	}
	for _, line := range append(p.tree(p.home), p.tree(p.store.Root)...) {
		if isCopy(line) {
			found = append(found, "a temporary name is left: "+line)
		}
	}
	return found
}
