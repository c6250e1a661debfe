//go:build unix

package mirror

import (
	"errors"
	"os"

	"swop/account/store"
	"swop/config"
	"swop/disk"
	"swop/home/links"
	"swop/home/rules"
)

// setViews sets what the sandbox shows: the codex home always, HOME if the isolation says so or an earlier one did.
func (r *reconciler) setViews(isolation string, private config.Private) error {
	codex, home := rules.Views(r.Layout, r.Account, private)
	r.links = links.Sandbox{Root: r.Layout.Root}
	r.addView(codex, r.Root.SharedHome.Path, r.Root.Former)
	if isolation != config.IsolateHome {
		// A sandbox home with more in it than the codex home, left by an earlier isolation, is reconciled all the same.
		if entries, err := os.ReadDir(home.Sandbox); err == nil && len(entries) <= 1 {
			r.draft.watchCodex(home.Sandbox)
			return nil
		}
	}
	own, former, err := store.RealHome(store.Store{Layout: r.Layout}, &r.Account)
	if err != nil {
		return err
	}
	var before []string
	if former != "" {
		before = []string{disk.WithoutSlash(former)}
	}
	r.addView(home, own, before)
	return nil
}

func (r *reconciler) addView(v rules.View, shared string, former []string) {
	r.links.Views = append(r.links.Views, links.View{View: v, Shared: disk.WithoutSlash(shared), Former: former, Resolved: disk.Resolve(v.Sandbox)})
}

// open opens the two directories of a view; done closes them.
func (r *reconciler) open(v links.View) (h *home, done func() error, err error) {
	h = &home{reconciler: r, view: v, rules: v.Rules, was: r.last.View(v.Name), now: r.next.View(v.Name), renamed: map[string]string{}}
	if h.shared, err = disk.Open(v.Shared, disk.Follow); err != nil {
		return nil, nil, err
	}
	if h.sandbox, err = disk.OpenBelow(r.Account.Dir, v.Sandbox); err != nil {
		return nil, nil, errors.Join(err, h.shared.Close())
	}
	h.view.Sandbox = h.sandbox.Path
	return h, func() error { return errors.Join(h.shared.Close(), h.sandbox.Close()) }, nil
}
