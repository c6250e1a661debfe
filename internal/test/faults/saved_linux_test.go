package faults

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/test/testhome"
)

// A file system without renames that exchange, or replace nothing, as NFS: a start takes steps, and another program saves a file before
// each of those that have its name. Its version and the one before are both there then.
func TestSaved(t *testing.T) {
	testhome.NotShort(t, "a save before each call")
	o := operations[slices.IndexFunc(operations, func(o operation) bool { return o.name == "start" })]
	dir := testhome.Scratch(t)
	const saved = "home/.codex/config.toml"
	// start runs codex, and saves the file before the n-th call that has its name. It returns how many there were.
	start := func(n int) (calls int) {
		w := o.world(t, filepath.Join(dir, fmt.Sprint(n)))
		defer w.remove()
		want := maps.Clone(kept(w.contents()))
		result, err := Run(o.in(w), func(c Call) Verdict {
			if c.Name == "renameat2" {
				return Verdict{Error: unix.EINVAL}
			}
			if c.Change >= 0 && slices.ContainsFunc(c.Paths, func(path string) bool { return strings.HasSuffix(path, "/config.toml") }) {
				if calls == n {
					delete(want, w.words(testhome.TextOf(w.at(saved)))) // the program itself replaces it
					w.keep(saved)
				}
				calls++
			}
			return Verdict{}
		})
		testhome.NoError(t, err)
		if n >= 0 && calls > n {
			want["# kept "+saved+"\n"] = true
		}
		wrong := append(w.lost(want), w.recover(o)...)
		if wrong = append(wrong, w.lost(want)...); len(wrong) > 0 || result.Status != 0 {
			t.Errorf("saved at %d: status %d, %s\n%s", n, result.Status, result.Stderr, strings.Join(wrong, "\n"))
		}
		return calls
	}
	calls := start(-1)
	for n := range calls {
		start(n)
	}
	if t.Logf("%d points", calls); calls < 8 {
		t.Errorf("only %d calls have the name", calls)
	}
}
