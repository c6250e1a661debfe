//go:build unix

package rules

import (
	"os"
	"testing"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
)

// TestHas: a stamp holds only what root.json and meta.json said before and after the look.
func TestHas(t *testing.T) {
	home := t.TempDir()
	meta := account.Meta{Label: "a", Key: "a", State: account.StateShared, RealHome: home}
	for _, tt := range []struct {
		name   string
		change func(*Subject)
		want   bool
	}{
		{"as they were", func(*Subject) {}, true},
		{"another shared home", func(r *Subject) { write(t, r.Layout.Path(account.RootFile), (&account.Root{}).Text()) }, false},
		{"another state", func(r *Subject) {
			m := r.Account.Meta
			m.State = account.StatePrivate
			write(t, r.Layout.MetaFile(r.Account.Dir), m.Text())
		}, false},
		{"meta.json is gone", func(r *Subject) { _ = os.Remove(r.Layout.MetaFile(r.Account.Dir)) }, false},
		{"an add that has not ended", func(r *Subject) { r.Account.Meta.Unfinished = true }, false},
		{"a rename that has not ended", func(r *Subject) { r.Account.Meta.MovedFrom = "b" }, false},
		{"another HOME", func(r *Subject) { r.Account.Meta.RealHome = "/elsewhere" }, false},
	} {
		dir := t.TempDir()
		r := Subject{
			Layout:  account.Layout{Places: config.Places{Home: home, Root: dir}},
			Root:    account.Root{SharedHome: account.SharedHome{Path: home}},
			Account: account.Account{Key: "a", Dir: dir, Meta: meta},
		}
		write(t, r.Layout.Path(account.RootFile), r.Root.Text())
		write(t, r.Layout.MetaFile(dir), r.Account.Meta.Text())
		tt.change(&r)
		var s Stamp
		if got := r.Has(&s); got != tt.want {
			t.Errorf("%s: Has = %v", tt.name, got)
		}
	}
}

func write(t *testing.T, file string, text []byte) {
	if err := disk.WriteFile(file, text); err != nil {
		t.Fatal(err)
	}
}
