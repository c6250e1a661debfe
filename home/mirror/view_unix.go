//go:build unix

package mirror

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"swop/account"
	"swop/account/store"
	"swop/config"
	"swop/disk"
	"swop/home/rules"
	"swop/say"
)

// view is one of the two directories that a sandbox shows, and what it shows there.
type view struct {
	rules.View
	shared   string
	former   []string // where shared was before
	resolved string   // the directory in the sandbox, without links
}

// setViews sets what the sandbox shows: the codex home always, HOME if the isolation says so or an earlier one did.
func (r *reconciler) setViews(isolation string, private config.Private) error {
	codex, home := rules.Views(r.Layout, r.Account, private)
	r.views = []view{{View: codex, shared: r.Root.SharedHome.Path, former: r.Root.Former, resolved: disk.Resolve(codex.Sandbox)}}
	if isolation != config.IsolateHome {
		// A sandbox home with more in it than the codex home, left by an earlier isolation, is reconciled all the same.
		if entries, err := os.ReadDir(home.Sandbox); err == nil && len(entries) <= 1 {
			r.draft.watchCodex(home.Sandbox)
			return nil
		}
	}
	own, former, err := realHome(store.Store{Layout: r.Layout}, &r.Account)
	if err != nil {
		return err
	}
	shown := view{View: home, shared: own, resolved: disk.Resolve(home.Sandbox)}
	if former != "" {
		shown.former = []string{disk.WithoutSlash(former)}
	}
	r.views = append(r.views, shown)
	return nil
}

// open opens the two directories of a view; done closes them.
func (r *reconciler) open(v view) (h *home, done func() error, err error) {
	h = &home{view: v, rules: v.Rules, reconciler: r, was: r.last.view(v.Name), now: r.next.view(v.Name)}
	if h.shared, err = disk.Open(v.shared, disk.Follow); err != nil {
		return nil, nil, err
	}
	if h.sandbox, err = disk.OpenBelow(r.Account.Dir, v.Sandbox); err != nil {
		return nil, nil, errors.Join(err, h.shared.Close())
	}
	return h, func() error { return errors.Join(h.shared.Close(), h.sandbox.Close()) }, nil
}

// realHome returns the home that the account's sandbox shows, and where that was before if it has moved since. While the account's own home
// still exists, the account is not shown another one.
func realHome(s store.Store, a *account.Account) (home, former string, err error) {
	own := a.Meta.RealHome
	if own == s.Home {
		return own, "", nil
	}
	then, err := os.Stat(own)
	if errors.Is(err, fs.ErrNotExist) || own == "" {
		a.Meta.RealHome = s.Home
		return s.Home, own, s.WriteMeta(*a)
	}
	if err != nil {
		return "", "", err
	}
	now, err := os.Stat(s.Home)
	if err != nil {
		return "", "", err
	}
	if !os.SameFile(then, now) {
		err := disk.Unsafe("the account %q belongs to the home %s, but HOME is %s", a.Meta.Label, own, s.Home)
		return "", "", say.WithHint(err, fmt.Sprintf("export HOME=%s", say.ShellQuote(own)))
	}
	return own, "", nil
}
