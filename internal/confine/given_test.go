package confine

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/test/testhome"
)

// TestGiven: what is given of a home, by the list, by the directories of PATH, and by links, which count where no session can have made
// them.
func TestGiven(t *testing.T) {
	home, root, work := disk.Resolve(t.TempDir()), t.TempDir(), disk.Resolve(t.TempDir())
	testhome.PutFile(t, work+"/venv/bin/tool", "")
	testhome.PutFile(t, work+"/cli", "")
	for _, name := range []string{
		".gitconfig", ".config/git/config", ".config/git/credentials", ".bashrc", ".bash_history", ".config/nvim/init.lua", ".config/gh/hosts.yml",
		".ssh/id", ".claude.json", ".nvm/versions/node/v1/bin/node", ".cargo/bin/cargo", ".cargo/env", ".cargo/credentials.toml", ".rustup/x",
		".local/bin/one", ".local/share/pipx/venvs/two/bin/two", ".local/share/uv/credentials/x", ".local/share/uv/tools/x", ".local/share/uv/python/x",
		".npm-global/bin/three", ".cabal/bin/four", ".cabal/lib/x", "sdk/go/bin/go", "sdk/go/lib/x",
		".local/share/mise/shims/x", ".config/mise/config.toml", ".config/mise/age.txt", ".local/bin/mise",
		".config/helix/lang/x", ".local/bin/work/x", "src/p1/bin/build", "src/.git/HEAD", "src/p1/lib/x", "src/p2/tool", "dots/.vimrc", "dots/.zshrc", "dots/.tmux.conf", "dots/.git/HEAD", "notes/x",
	} {
		testhome.PutFile(t, filepath.Join(home, name), name)
	}
	for at, to := range map[string]string{
		".vimrc": "dots/.vimrc", ".local/bin/two": "../share/pipx/venvs/two/bin/two", ".local/share/mise/shims/node": "../../../bin/mise",
		".npm-global/bin/cli": work + "/cli", "src/p1/bin/key": "../../../.ssh/id", "src/p2/key": "../../.ssh/id", ".bashrc.d": home, "dots/link": ".tmux.conf", ".tmux.conf": "dots/link",
		".nvmrc": "nowhere",
	} {
		testhome.NoError(t, os.Symlink(to, filepath.Join(home, at)))
	}
	away := disk.Resolve(t.TempDir()) // a workspace outside of the home, in which a session laid a link
	testhome.NoError(t, os.Symlink(filepath.Join(home, ".ssh"), filepath.Join(away, "bin")))
	written := []string{filepath.Join(home, "src/p2"), filepath.Join(home, ".config/helix/lang"), filepath.Join(home, ".local/bin/work"), away}
	testhome.PutFile(t, account.WrittenFile(home), strings.Join(written, "\x00"))
	var path []string
	for _, dir := range []string{
		".nvm/versions/node/v1/bin", ".cargo/bin", ".local/bin", ".npm-global/bin", ".local/share/mise/shims",
		"src/p1/bin", "src/p2", "none", ".cabal/bin", "sdk/go/bin",
	} {
		path = append(path, filepath.Join(home, dir))
	}
	p := New(config.ConfineWorkspace, config.Confinement{Shown: []string{"~/notes", "~/src/p2/key", away + "/bin/id"}}, home)
	path = append(path, "relative", "/usr/bin", away+"/bin", work+"/venv/bin")
	got := p.Given(config.Places{Home: home, Root: root}, Disk{Users: []string{work}}, strings.Join(path, ":"), filepath.Join(home, "work"))
	want := strings.Fields(`.bashrc .cabal/bin/four .cargo/bin/cargo .cargo/env .config/git/config .config/mise/config.toml .config/nvim .gitconfig .local/bin/mise .local/bin/one
		.local/bin/two .local/share/mise .local/share/pipx/venvs .npm-global .nvm
		.rustup .vimrc notes sdk/go src/p1/bin/build WORK/cli WORK/venv/bin/tool`)
	var names []string
	for _, at := range got.Paths() {
		names = append(names, strings.Replace(strings.TrimPrefix(at, home+"/"), work, "WORK", 1))
	}
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("given: %q,\nwant   %q", names, want)
	}
	if to := got.To[filepath.Join(home, ".vimrc")]; to != filepath.Join(home, "dots/.vimrc") {
		t.Errorf(".vimrc leads to %q", to)
	}
	if names := got.NotGiven(home, got.Paths()); !slices.Contains(names, ".ssh") || !slices.Contains(names, "dots") ||
		slices.Contains(names, ".config") {
		t.Errorf("not given: %q", names)
	}
	page := strings.Fields(strings.ReplaceAll(testhome.TextOf("../../docs/confinement.md"), "`", " "))
	for _, pattern := range slices.Concat(slices.Concat(slices.Collect(maps.Values(with))...), given, tools) {
		if !slices.Contains(page, pattern) {
			t.Errorf("docs/confinement.md does not name %q", pattern)
		}
	}
	full := New(config.ConfineFull, config.Confinement{}, home)
	if got := full.Given(config.Places{Home: home, Root: root}, Disk{}, "", "").Paths(); len(got) > 0 {
		t.Errorf("with the home itself this is given: %q", got)
	}
}
