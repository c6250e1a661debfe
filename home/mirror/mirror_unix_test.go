//go:build unix

package mirror

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"swop/account"
	"swop/disk"
	"swop/home/rules"
	"swop/internal/testhome"
)

// A first reconcile makes what codex needs and nothing else, in either home.
func TestEngineFirst(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	w.settings.Private.CodexHome = nil
	w.do(`start rest`)
	dirs, files := rules.CodexHomeRules(nil, account.StateShared).Ahead()
	for _, name := range slices.Concat(dirs, files) {
		if target, err := os.Readlink(filepath.Join(w.codex("a"), name)); err != nil || target != filepath.Join(w.shared, name) {
			t.Errorf("%s leads to %q, %v, want the shared one", name, target, err)
		}
	}
	entries, err := os.ReadDir(w.shared)
	if len(entries) != len(dirs) || err != nil {
		t.Errorf("the shared home holds %v, %v, want %q", entries, err, dirs)
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err != nil || info.Mode() != os.ModeDir|0o700 {
			t.Errorf("%s was made with %v, %v, want 0700", entry.Name(), info.Mode(), err)
		}
	}
}

// If the shared home is missing, or another one, nothing is linked.
func TestEngineWithoutSharedHome(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	testhome.NoError(t, os.Rename(w.shared, w.shared+"-moved"))
	before := testhome.Tree(t, w.store.Root)
	if err := w.reconcile("a", noProcesses); !errors.Is(err, disk.ErrUnsafe) {
		t.Errorf("Reconcile = %v, want a refusal", err)
	}
	if after := testhome.Tree(t, w.store.Root); after != before {
		t.Errorf("changed from\n%s\nto\n%s", before, after)
	}
}
<<<<<<< HEAD
=======

// Between the scan and the repair a program does what it likes. What it has there then stays, under its name or in the shared home.
func TestProjectionGroundChanges(t *testing.T) {
	for _, tt := range []struct {
		kind                 string
		name                 string
		shared, own          byte
		changeShared, change byte
	}{
		{"a link that must go", "models_cache.json", 'f', 'L', '=', 'f'},
		{"a link that must go, by a directory", "models_cache.json", 'f', 'L', '=', 'd'},
		{"a link whose entry is gone", "notes", '-', 'L', '=', 'f'},
		{"a link whose entry comes back", "notes", '-', 'L', 'f', '='},
		{"a wrong link", "notes", 'f', 'w', '=', 'f'},
		{"a wrong link, by a directory", "notes", 'f', 'w', '=', 'd'},
		{"a wrong link, by nothing", "notes", 'f', 'w', '=', '-'},
		{"a missing link", "notes", 'f', '-', '=', 'f'},
		{"a missing directory", "skills", '-', '-', 'd', '='},
		{"a missing directory, by a file", "skills", '-', '-', 'f', '='},
		{"a missing name", ".credentials.json", 'f', '-', '=', 'f'},
		{"a missing name, both", ".credentials.json", 'f', '-', '-', 'f'},
		{"a link in place of a name", ".credentials.json", 'f', 'L', '=', 'f'},
		{"an own file", "config.toml", 'f', 'f', '=', 'L'},
		{"an own file, and no shared one", "config.toml", 'f', 'f', '-', '='},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			p := newTestHomes(t)
			p.put(t, p.shared, tt.name, tt.shared)
			p.put(t, p.sandbox, tt.name, tt.own)
			view := p.open(t)
			testhome.NoError(t, view.scan())
			p.change(t, p.shared, tt.name, tt.changeShared)
			p.change(t, p.sandbox, tt.name, tt.change)
			texts := p.contents(t)
			if err := view.act(); err != nil {
				t.Errorf("act failed: %v", err)
			}
			for _, text := range texts {
				if !slices.Contains(p.contents(t), text) {
					t.Errorf("%q is lost", text)
				}
			}
		})
	}
}

func (p testHomes) change(t *testing.T, dir, name string, state byte) {
	t.Helper()
	if state == '=' {
		return
	}
	if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
	p.put(t, dir, name, state)
}

// open returns the codex home before its first scan.
func (p testHomes) open(t *testing.T) *home {
	t.Helper()
	r := &reconciler{Subject: rules.Subject{Layout: p.store.Layout, Root: p.root, Account: p.account}, say: func(string) {}}
	testhome.NoError(t, r.prepare(config.IsolateCodexHome, config.Private{}))
	opened, done, err := r.open(r.links.Views[0])
	testhome.NoError(t, err)
	t.Cleanup(func() { testhome.NoError(t, done()) })
	return opened
}

// Sockets, FIFOs and devices stay where they were made, and do not stop a reconcile.
func TestProjectionLeavesEndpoints(t *testing.T) {
	p := newTestHomes(t)
	for _, dir := range []string{p.shared, p.sandbox} {
		if err := unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := testhome.Tree(t, p.outside)
	for range 3 {
		p.reconcile(t)
	}
	if info, err := os.Lstat(filepath.Join(p.sandbox, "pipe")); err != nil || info.Mode().Type() != os.ModeNamedPipe {
		t.Errorf("the sandbox's FIFO is %v, %v", info, err)
	}
	if after := testhome.Tree(t, p.outside); after != before {
		t.Errorf("outside changed to\n%s", after)
	}
}

// What cannot be adopted stays, and does not keep anything else from being repaired.
func TestProjectionDenied(t *testing.T) {
	if os.Geteuid() == 0 {
		return // root may write where nobody else may; the suite runs as both
	}
	p := newTestHomes(t)
	p.reconcile(t)
	p.put(t, p.sandbox, "notes", 'f')
	if err := os.Chmod(p.shared, 0o500); err != nil {
		t.Fatal(err)
	}
	err := Reconcile(p.store, p.account, p.root, config.Settings{Isolation: config.IsolateCodexHome}, noProcesses.options(), func(string) {})
	if err := os.Chmod(p.shared, 0o700); err != nil {
		t.Fatal(err)
	}
	if err != nil || p.state(t, "notes") != 'f' {
		t.Errorf("Reconcile = %v, and notes is %c, want it where it was, and no error that keeps codex from running", err, p.state(t, "notes"))
	}
	p.reconcile(t)
	if got := p.state(t, "notes"); got != 'L' {
		t.Errorf("afterwards notes is %c, want its link", got)
	}
}
>>>>>>> c243bad (Give the baseline of a scan, and where links lead, packages of their own)
