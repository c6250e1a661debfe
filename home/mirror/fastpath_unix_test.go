//go:build unix

package mirror

import (
	"os"
	"path/filepath"
	"testing"

	"swop/account"
	"swop/config"
	"swop/disk"
	"swop/home/rules"
	"swop/internal/testhome"
)

// settledWorld is an account in which a scan found nothing to repair, and returns the reconciler of the next scan.
func settledWorld(t *testing.T) (*testWorld, func() *reconciler) {
	t.Helper()
	w := newWorld(t, filepath.Join(t.TempDir(), "world"), "a")
	testhome.NoError(t, w.reconcile("a", noProcesses))
	testhome.Tick(t)
	testhome.NoError(t, w.reconcile("a", noProcesses))
	testhome.Tick(t)
	testhome.NoError(t, w.reconcile("a", noProcesses))
	return w, func() *reconciler {
		r := &reconciler{Subject: rules.Subject{Layout: w.store.Layout, Root: w.root, Account: w.accounts["a"], Stamp: rules.OpenStamp(w.accounts["a"])}, say: func(string) {}}
		t.Cleanup(r.Stamp.Close)
		return r
	}
}

func TestUnchanged(t *testing.T) {
	w, next := settledWorld(t)
	isolation, private := w.settings.For("a")
	if !next().Unchanged(isolation, private) {
		t.Fatal("a steady account counts as moved")
	}
	for name, change := range map[string]func(r *reconciler) (string, config.Private){
		"the isolation":       func(*reconciler) (string, config.Private) { return config.IsolateHome, private },
		"a pattern":           func(*reconciler) (string, config.Private) { return isolation, config.Private{CodexHome: []string{"x"}} },
		"a pattern elsewhere": func(*reconciler) (string, config.Private) { return isolation, config.Private{Home: []string{"x"}} },
		"the state": func(r *reconciler) (string, config.Private) {
			r.Account.Meta.State = account.StatePrivate
			return isolation, private
		},
		"a former home": func(r *reconciler) (string, config.Private) {
			r.Root.Former = []string{"/f"}
			return isolation, private
		},
		"another shared home": func(r *reconciler) (string, config.Private) {
			r.Root.SharedHome.Path = r.Layout.Home
			return isolation, private
		},
		"another device recorded": func(r *reconciler) (string, config.Private) {
			r.Root.SharedHome.Device++
			return isolation, private
		},
		"another inode recorded": func(r *reconciler) (string, config.Private) {
			r.Root.SharedHome.Inode++
			return isolation, private
		},
		"another real home": func(r *reconciler) (string, config.Private) {
			r.Account.Meta.RealHome = "/h"
			return isolation, private
		},
		"another root": func(r *reconciler) (string, config.Private) { r.Layout.Root += "x"; return isolation, private },
		"a clock set back": func(r *reconciler) (string, config.Private) {
			r.Stamp.Header.At.Sec += 3600
			return isolation, private
		},
		"something left to repair": func(r *reconciler) (string, config.Private) { r.Stamp.Header.Watched = 0; return isolation, private },
	} {
		t.Run(name, func(t *testing.T) {
			r := next()
			if r.Unchanged(change(r)) {
				t.Error("it is not noticed")
			}
			if !next().Unchanged(isolation, private) {
				t.Error("the stamp was changed by a check that noticed something")
			}
		})
	}
}

// A thorough reconcile scans, whatever the stamp says.
func TestThorough(t *testing.T) {
	w, next := settledWorld(t)
	link := filepath.Join(w.codex("a"), "config.toml")
	testhome.NoError(t, os.Remove(link))
	r := next()
	h := &r.Stamp.Header
	d, err := disk.Open(w.codex("a"), disk.NoFollow)
	testhome.NoError(t, err)
	defer d.Close()
	_, private := w.settings.For("a")
	h.Dirs[rules.SandboxCodex], err = rules.Mark(d)
	testhome.NoError(t, err)
	h.Dirs[rules.SandboxCodex].Sum, err = rules.ListSum(w.codex("a"), disk.NoFollow, r.EntrySum(rules.SandboxCodex, h.Watched, private))
	testhome.NoError(t, err)
	r.Stamp.Renew()
	testhome.NoError(t, w.reconcile("a", noProcesses))
	if testhome.Exists(link) {
		t.Fatal("a stamp that says that nothing moved is not believed: this test proves nothing")
	}
	options := noProcesses.options()
	options.Thorough = true
	testhome.NoError(t, Reconcile(w.store, w.accounts["a"], w.root, w.settings, options, func(string) {}))
	if !testhome.Exists(link) {
		t.Error("a thorough reconcile leaves a link that is missing")
	}
}
