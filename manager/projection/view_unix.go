//go:build unix

package projection

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"swop/config"
	"swop/manager/account"
	"swop/manager/disk"
	"swop/manager/stamp"
	"swop/manager/store"
	"swop/say"
)

// view is one of the two directories that a sandbox shows.
type view struct {
	name            string
	shared, sandbox string
	former          []string // where shared was before
	bootstrap       string   // the codex home that the account was taken over from, "" for none
	rules           stamp.Rules
}

// setViews sets what the sandbox shows: the codex home always, HOME if the isolation says so or an earlier one did.
func (r *reconciler) setViews(isolation string, private config.Private) error {
	a := &r.Account
	r.views = []view{{
		name: "codex", shared: r.Root.SharedHome.Path, sandbox: a.CodexHome(), former: r.Root.Former, bootstrap: a.Meta.Bootstrap,
		rules: stamp.CodexHomeRules(private.CodexHome, a.Meta.State),
	}}
	r.watches = stamp.MaxDirs
	if isolation != config.IsolateHome && onlyCodexHome(a.Home()) {
		r.watches = stamp.RealHome
		r.markSandboxHome()
		return nil // what an earlier isolation left in the sandbox home is looked after all the same
	}
	home, former, err := realHome(store.Store{Layout: r.Layout}, a)
	if err != nil {
		return err
	}
	r.views = append(r.views, view{
		name: "home", shared: home, sandbox: a.Home(), former: formerOf(former), rules: stamp.HomeRules(private.Home, stamp.RootName(r.Layout)),
	})
	return nil
}

// onlyCodexHome reports whether the sandbox home holds nothing but the codex home.
func onlyCodexHome(home string) bool {
	entries, err := os.ReadDir(home)
	return err == nil && len(entries) <= 1
}

// open opens the two directories of a view; done closes them.
func (r *reconciler) open(v view) (p *projection, done func() error, err error) {
	p = &projection{
		view: v.name, rules: v.rules, former: v.former, bootstrap: v.bootstrap, reconciler: r,
		was: r.last.view(v.name), now: r.next.view(v.name),
	}
	if p.shared, err = disk.Open(v.shared, disk.Follow); err != nil {
		return nil, nil, err
	}
	if p.sandbox, err = disk.OpenBelow(r.Account.Dir, v.sandbox); err != nil {
		return nil, nil, errors.Join(err, p.shared.Close())
	}
	return p, func() error { return errors.Join(p.shared.Close(), p.sandbox.Close()) }, nil
}

// formerOf returns home as the list of former homes, empty for "".
func formerOf(home string) []string {
	if home == "" {
		return nil
	}
	return []string{disk.WithoutSlash(home)}
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
