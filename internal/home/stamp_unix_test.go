//go:build unix

package home

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/store"
	"swop/internal/disk"
	"swop/internal/test/testhome"
)

// TestHas: a stamp holds only what root.json and meta.json said before and after the look.
func TestHas(t *testing.T) {
	home := t.TempDir()
	meta := account.Meta{Label: "a", Key: "a", State: account.StateShared, RealHome: home}
	for _, tt := range []struct {
		name   string
		change func(*Homes, *account.Account)
		want   bool
	}{
		{"as they were", func(*Homes, *account.Account) {}, true},
		{"another shared home", func(h *Homes, _ *account.Account) {
			testhome.NoError(t, disk.WriteFile(h.Store.Path(account.RootFile), (&account.Root{}).Text()))
		}, false},
		{"another state", func(h *Homes, a *account.Account) {
			m := a.Meta
			m.State = account.StatePrivate
			testhome.NoError(t, h.Store.WriteMeta(&account.Account{Dir: a.Dir, Meta: m}))
		}, false},
		{"meta.json is gone", func(h *Homes, a *account.Account) { _ = os.Remove(h.Store.MetaFile(a.Dir)) }, false},
		{"an add that has not ended", func(_ *Homes, a *account.Account) { a.Meta.Unfinished = true }, false},
		{"a rename that has not ended", func(_ *Homes, a *account.Account) { a.Meta.MovedFrom = "b" }, false},
		{"another HOME", func(_ *Homes, a *account.Account) { a.Meta.RealHome = "/elsewhere" }, false},
	} {
		dir := t.TempDir()
		h := Homes{
			Store: store.Store{Layout: account.Layout{Places: config.Places{Home: home, Root: dir}}},
			Root:  account.Root{SharedHome: account.SharedHome{Path: home}},
		}
		a := account.Account{Key: "a", Dir: dir, Meta: meta}
		testhome.NoError(t, disk.WriteFile(h.Store.Path(account.RootFile), h.Root.Text()))
		testhome.NoError(t, h.Store.WriteMeta(&a))
		tt.change(&h, &a)
		var s stamp
		if got := h.has(&a, &s); got != tt.want {
			t.Errorf("%s: has = %v", tt.name, got)
		}
	}
}

// A start that looks only at what the last look cannot know finds, does and remembers what one does that looks at all.
func TestAsLast(t *testing.T) {
	for _, change := range []string{
		"",
		"cd OUT; touch n .codex/n",
		"cd OUT; rm x; mkdir x; touch n; mkdir m",
		"cd IN; rm x; touch OUT/n",
		"cd IN; ln -sfn OUT/y x; touch OUT/n",
		"cd IN; rm x; echo own >x; touch OUT/n",
		"cd IN; mv x z; touch OUT/n",
		"cd OUT; rm -r d; mkdir d2; echo new >.codex/history.jsonl",
	} {
		w := newWorld(t, "a")
		w.put(w.out("/x"), "x")
		w.put(w.out("/y"), "y")
		w.put(w.out("/d/f"), "f")
		testhome.NoError(t, os.WriteFile(w.store.Path(account.RootFile), w.root.Text(), 0o600))
		testhome.NoError(t, w.store.WriteMeta(w.account("a")))
		start := func(change func(*Homes)) (Homes, error) {
			testhome.Tick(t)
			h, a := w.homes(), account.Account{Key: "a", Dir: w.account("a").Dir}
			h.unchanged(&a)
			h.Root = w.root
			a, err := h.Store.Account("a")
			testhome.NoError(t, err)
			change(&h)
			return h, h.Reconcile(a, Options{Idle: InUse, LinksOnly: true})
		}
		all := func(h *Homes) { h.since = comparison{} }
		for range 2 {
			_, err := start(all)
			testhome.NoError(t, err)
		}
		w.session("a", "cp -a d f") // a copy of a directory's link stays
		_, err := start(all)
		testhome.NoError(t, err)
		w.session("a", strings.NewReplacer("IN", w.in("a", ""), "OUT", w.out("")).Replace(change))
		h, err := start(func(*Homes) {})
		tree, known := testhome.Tree(t, w.store.Home), readSeen(w.account("a").Dir)
		_, errAll := start(all)
		if (err == nil) != (errAll == nil) || strings.HasPrefix(change, "cd OUT") && !strings.Contains(change, " f") && !h.since.same[ownHome] {
			t.Errorf("%s: %v, of a start that looks at all: %v; since the last look: %v", change, err, errAll, h.since.same)
		}
		testhome.WantTree(t, w.store.Home, tree)
		names := func(s seen) []uint64 { return slices.Sorted(maps.Keys(s)) }
		if all := readSeen(w.account("a").Dir); err == nil && !slices.Equal(names(known), names(all)) {
			t.Errorf("%s: seen was %v, of a start that looks at all %v", change, known, all)
		}
	}
}
