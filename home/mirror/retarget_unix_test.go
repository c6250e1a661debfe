//go:build unix

package mirror

import (
	"os"
	"path/filepath"
	"testing"

	"swop/config"
	"swop/internal/testhome"
)

// A program replaces a link by a link of its own into the home that it sees: what is shared must not point into the sandbox.
func TestEngineReplacingLinkIsRetargeted(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	w.settings.Isolation = config.IsolateHome
	shareFile(t, w, "config.toml", "old")
	testhome.NoError(t, os.MkdirAll(filepath.Join(w.home, "dotfiles"), 0o700))
	testhome.PutText(t, filepath.Join(w.home, "dotfiles", "config.toml"), "dotfile")
	own := filepath.Join(w.codex("a"), "config.toml")
	testhome.NoError(t, os.Remove(own))
	testhome.NoError(t, os.Symlink(filepath.Join(w.sandboxHome("a"), "dotfiles", "config.toml"), own))
	testhome.NoError(t, w.settle())
	target, err := os.Readlink(filepath.Join(w.shared, "config.toml"))
	if want := filepath.Join(w.home, "dotfiles", "config.toml"); err != nil || target != want {
		t.Errorf("the shared link points to %q, %v, want %q", target, err, want)
	}
}

// A relative link that leads to nothing beside the session's home was meant for what is beside the real one: it stays as it was written. One
// that leads to something goes on leading to that.
func TestEngineLinkBesideHome(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	w.settings.Isolation = config.IsolateHome
	testhome.NoError(t, w.reconcile("a", busy))
	home := w.sandboxHome("a")
	testhome.PutText(t, filepath.Join(w.store.Root, "there"), "text")
	there, err := filepath.Rel(home, filepath.Join(w.store.Root, "there"))
	testhome.NoError(t, err)
	testhome.NoError(t, os.Mkdir(filepath.Join(home, "dir"), 0o700))
	links := map[string]string{"top": "../beside", "dir/below": "../../beside", "leads": there, "dir/leads": "../" + there}
	for name, target := range links {
		testhome.NoError(t, os.Symlink(target, filepath.Join(home, name)))
	}
	testhome.NoError(t, w.settle())
	for _, name := range []string{"top", "dir/below"} {
		if target, err := os.Readlink(filepath.Join(w.home, name)); err != nil || target != links[name] {
			t.Errorf("%s leads to %q, %v, want %q", name, target, err, links[name])
		}
	}
	for _, name := range []string{"leads", "dir/leads"} {
		wantText(t, filepath.Join(w.home, name), "text")
	}
}
