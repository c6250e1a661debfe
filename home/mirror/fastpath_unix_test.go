//go:build unix

package mirror

import (
	"os"
	"path/filepath"
	"testing"

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

// What is no term of the inputs, see package rules, is compared by itself.
func TestUnchanged(t *testing.T) {
	w, next := settledWorld(t)
	isolation, private := w.settings.For("a")
	for name, c := range map[string]struct {
		change func(r *reconciler)
		want   bool
	}{
		"nothing":                  {func(*reconciler) {}, true},
		"another real home":        {func(r *reconciler) { r.Account.Meta.RealHome = "/h" }, false},
		"another device recorded":  {func(r *reconciler) { r.Root.SharedHome.Device++ }, false},
		"a clock set back":         {func(r *reconciler) { r.Stamp.Header.At.Sec += 3600 }, false},
		"something left to repair": {func(r *reconciler) { r.Stamp.Header.Watched = 0 }, false},
	} {
		r := next()
		c.change(r)
		if got := r.Unchanged(isolation, private); got != c.want {
			t.Errorf("%s: Unchanged = %t, want %t", name, got, c.want)
		}
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
