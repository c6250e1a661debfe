//go:build unix

package history

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLocate(t *testing.T) {
	p := newPlace(t)
	p.write("src/proj/x", "")
	p.ok(os.MkdirAll(p.AccountDir("work")+"/home/.codex", 0o700))
	for _, name := range []string{"skills", ".codex/sessions"} {
		p.ok(os.MkdirAll(filepath.Join(p.Home, name), 0o700))
	}
	p.ok(os.Symlink(p.Home+"/.codex/sessions", p.AccountDir("work")+"/home/.codex/sessions"))
	p.ok(os.Symlink(p.Home+"/src", p.AccountDir("work")+"/home/src"))
	p.ok(os.Symlink("src/proj", p.Home+"/link"))
	outside := t.TempDir()
	p.ok(os.Symlink(p.Home, outside+"/home"))
	box := p.AccountDir("work") + "/home"
	f := HomesOf(p.Layout, p.root())
	for _, tt := range []struct{ dir, path, want string }{
		{"/", "~/.codex/config.toml", "/.codex/config.toml"},
		{"/", "~", ""},
		{"/", "~/", ""},
		{p.Home, ".codex/config.toml", "/.codex/config.toml"},
		{p.Home, "./.codex//config.toml/", "/.codex/config.toml"},
		{p.Home + "/.codex", "../.gitconfig", "/.gitconfig"},
		{p.Home + "/.codex", ".", "/.codex"},
		{p.Home + "/.codex", "..", ""},
		{"/", p.Home + "/link/x", "/src/proj/x"},
		{"/", p.Home + "/link", "/link"},
		{p.Home, "link/../other", "/src/other"}, // as the kernel reads it
		{outside, "home/.codex/a", "/.codex/a"},
		{"/", box + "/.codex/config.toml", "/.codex/config.toml"},
		{box, ".codex/sessions/2026/x", "/.codex/sessions/2026/x"},
		{box, ".codex/gone/x", "/.codex/gone/x"},
		{box, ".codex", "/.codex"},
		{box + "/.codex", "..", ""},
		{box, "src/proj", "/src/proj"},
		{box + "/src", "proj", "/src/proj"},
		{box, ".gitconfig", "/.gitconfig"},
		{box, "..", "/.swop/accounts/work"},
		{p.Home, "a\xff\nb", "/a\xff\nb"},
		{p.Home, "~me/x", "/~me/x"},
	} {
		if got := f.Locate(tt.dir, tt.path); got != p.Home+tt.want {
			t.Errorf("Locate(%q, %q) = %q, want %q", tt.dir, tt.path, got, p.Home+tt.want)
		}
	}
}
