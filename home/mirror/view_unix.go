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

// view is one of the two directories that a sandbox shows.
type view struct {
	name            string // "codex" or "home"
	shared, sandbox string
	resolved        string   // sandbox without links
	former          []string // where shared was before
	rules           rules.Rules
}

// viewsOf returns the codex home and HOME of the account's sandbox, with the rules for each.
func viewsOf(l account.Layout, a account.Account, private config.Private) (codex, home view) {
	codex = view{name: "codex", sandbox: a.CodexHome(), rules: rules.CodexHomeRules(private.CodexHome, a.Meta.State)}
	home = view{name: "home", sandbox: a.Home(), rules: rules.HomeRules(private.Home, rules.RootName(l))}
	return codex, home
}

// setViews sets what the sandbox shows: the codex home always, HOME if the isolation says so or an earlier one did.
func (r *reconciler) setViews(isolation string, private config.Private) error {
	a := &r.Account
	codex, home := viewsOf(r.Layout, *a, private)
	codex.shared, codex.former = r.Root.SharedHome.Path, r.Root.Former
	codex.resolved, home.resolved = disk.Resolve(codex.sandbox), disk.Resolve(home.sandbox)
	r.views = []view{codex}
	r.watches = rules.MaxDirs
	if isolation != config.IsolateHome {
		// A sandbox home with more in it than the codex home, left by an earlier isolation, is reconciled all the same.
		if entries, err := os.ReadDir(home.sandbox); err == nil && len(entries) <= 1 {
			r.watches = rules.RealHome
			r.markSandboxHome()
			return nil
		}
	}
	own, former, err := realHome(store.Store{Layout: r.Layout}, a)
	if err != nil {
		return err
	}
	home.shared = own
	if former != "" {
		home.former = []string{disk.WithoutSlash(former)}
	}
	r.views = append(r.views, home)
	return nil
}

// open opens the two directories of a view; done closes them.
func (r *reconciler) open(v view) (h *home, done func() error, err error) {
	h = &home{
		view: v.name, rules: v.rules, former: v.former, reconciler: r,
		was: r.last.view(v.name), now: r.next.view(v.name),
	}
	if h.shared, err = disk.Open(v.shared, disk.Follow); err != nil {
		return nil, nil, err
	}
	if h.sandbox, err = disk.OpenBelow(r.Account.Dir, v.sandbox); err != nil {
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
