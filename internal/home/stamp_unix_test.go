//go:build unix

package home

import (
	"os"
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
