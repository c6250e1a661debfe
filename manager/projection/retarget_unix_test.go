//go:build unix

package projection

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
