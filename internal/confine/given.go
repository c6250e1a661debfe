package confine

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/home/rules"
)

// given is what a session has of the user's home unless config.toml says more: the start-up files and settings of git, shell, editor and
// terminal, in the form of path.Match. None of them is known to hold a login or a history.
var given = []string{
	".gitconfig*", ".gitignore*", ".gitattributes", ".config/git/config*", ".config/git/ignore", ".config/git/attributes",
	".profile", ".bash_profile", ".bash_logout", ".bashrc*", ".bash_aliases*",
	".zshenv", ".zprofile", ".zshrc*", ".zlogin", ".zlogout", ".zfunc", ".oh-my-zsh", ".p10k.zsh",
	".config/zsh/.zshenv", ".config/zsh/.zprofile", ".config/zsh/.zshrc*",
	".config/fish/config.fish", ".config/fish/conf.d", ".config/fish/functions", ".config/fish/completions",
	".aliases", ".functions", ".exports", ".inputrc", ".config/starship.toml",
	".vimrc", ".vim/vimrc", ".vim/autoload", ".vim/plugin", ".vim/pack", ".vim/plugged",
	".config/nvim", ".local/share/nvim/lazy", ".local/share/nvim/site", ".config/helix", ".nanorc", ".config/nano", ".editorconfig",
	".emacs", ".emacs.d/*init.el", ".emacs.d/elpa", ".config/emacs/*init.el", ".config/emacs/elpa",
	".tmux.conf*", ".tmux/plugins", ".config/tmux",
	".config/go/env", ".tool-versions", ".nvmrc", ".node-version", ".python-version",
}

// tools are the directories of the home that belong to a tool as a whole.
var tools = []string{
	".nvm", ".fnm", ".volta", ".nodenv", ".pyenv", ".rbenv", ".rvm", ".goenv", ".jenv", ".asdf", ".sdkman", ".bun", ".deno", ".ghcup",
	".elan", ".juliaup", ".npm-global", ".local/share/mise", ".local/share/fnm", ".local/share/pnpm", ".local/share/pipx/venvs",
	".local/pipx/venvs", ".local/share/pypoetry", ".local/share/aquaproj-aqua", ".local/share/uv/tools", ".local/share/uv/python",
}

// with lists the patterns that are given with the programs in a directory.
var with = map[string][]string{
	".cargo/bin": {".cargo/env", ".rustup"},
	".local/share/mise": {
		".config/mise/config*", ".config/mise/conf.d", ".config/mise/settings.toml", ".local/state/mise/trusted-configs",
	},
	".local/share/uv/tools": {".local/share/uv/python"},
}

// mostEntries bounds what is given one by one of a directory of PATH: each is a mount.
const mostEntries = 100

// Given is the user's files that a session has, and the notes of the search for them.
type Given struct {
	To      map[string]string // the given paths, and the file or directory that each shows
	home    string            // with links resolved
	disk    Disk
	written []string // where sessions of any account could write
	roots   []string // where this one can
}

// Given returns the paths that the policy gives, to a session in a workspace, of a home: by the list above, by the directories of PATH, and
// by shown. A link counts only where no session can have made it: neither where one of any account could write, nor in a work tree of git,
// which others made.
func (p *Policy) Given(places config.Places, d Disk, path, workspace string) *Given {
	g := &Given{
		To: map[string]string{}, home: disk.Resolve(places.Home), disk: d, written: account.Written(places.Home),
		roots: p.Roots(workspace),
	}
	if p.HasHome() {
		return g
	}
	for _, pattern := range given {
		g.match(pattern)
	}
	for _, dir := range filepath.SplitList(path) {
		if at := g.at(dir, places.Home); filepath.IsAbs(dir) && !isIn(at, g.written) { // of another account's session, too
			g.program(at)
		}
	}
	for dir, patterns := range with {
		if slices.ContainsFunc(g.Paths(), func(at string) bool { return config.Within(at, filepath.Join(g.home, dir)) }) {
			for _, pattern := range patterns {
				g.match(pattern)
			}
		}
	}
	for _, path := range p.Shown {
		at := g.at(path, places.Home)
		if to := g.fileOf(at); to != "" {
			g.To[at] = to // wherever that is
		}
	}
	paths := g.Paths()
	maps.DeleteFunc(g.To, func(at, _ string) bool { return isIn(filepath.Dir(at), paths) })
	return g
}

// at returns where a session has a path: in the home, whatever links lead to that, or where it leads by links that count, "" for nowhere.
func (g *Given) at(path, home string) string {
	path = filepath.Clean(path)
	if config.Within(path, home) {
		return g.home + strings.TrimPrefix(path, home)
	}
	if !config.Within(path, g.home) {
		path = g.follow(path)
	}
	return path
}

// NotGiven returns the names at the top of a home of which a session that has these paths has nothing.
func (g *Given) NotGiven(home string, had []string) []string {
	return slices.DeleteFunc(matches(home, "*"), func(name string) bool {
		return slices.ContainsFunc(had, func(path string) bool { return config.Within(path, filepath.Join(home, name)) })
	})
}

// Shared returns the entries of the shared codex home that a session sees, and where each leads: skills one by one, since codex puts its
// own beside them.
func (g *Given) Shared(shared string) map[string]string {
	list := map[string]string{}
	for _, name := range append(matches(shared, "*"), matches(shared, "skills/*")...) {
		top, skill, _ := strings.Cut(name, "/")
		to := g.leadsTo(filepath.Join(shared, name))
		if rules.BuiltIn(top).Shown && name != "skills" && skill != ".system" && to != "" { // .system is codex's own
			list[name] = to
		}
	}
	return list
}

// Paths returns the given paths.
func (g *Given) Paths() []string { return slices.Sorted(maps.Keys(g.To)) }

// matches returns the names in a directory that match a pattern. None of ours is malformed.
func matches(dir, pattern string) []string {
	names, _ := fs.Glob(os.DirFS(dir), pattern)
	return names
}

func (g *Given) match(pattern string) {
	for _, name := range matches(g.home, pattern) {
		at := filepath.Join(g.home, name)
		if to := g.leadsTo(at); !isIn(to, g.roots) { // where a session of another account may have written, too
			g.give(at, to)
		}
	}
}

// isOfUser reports whether a path is in the home, or in another directory where users work.
func (g *Given) isOfUser(path string) bool {
	return config.Within(path, g.home) || isIn(path, g.disk.Users)
}

// give gives a path that leads to a file or directory of the user's or the system's: not of /tmp or another disk.
func (g *Given) give(at, to string) {
	if g.isOfUser(to) || to != "" && g.disk.Has(to) {
		g.To[at] = to
	}
}

// leadsTo returns the file or directory that a path leads to, "" for one that another session could write, also in part.
func (g *Given) leadsTo(at string) string {
	to := g.fileOf(at)
	byOther := func(dir string) bool {
		return config.Within(to, dir) && !isIn(to, g.roots) || config.Within(dir, to) && !isIn(dir, g.roots)
	}
	if slices.ContainsFunc(g.written, byOther) {
		return ""
	}
	return to
}

// fileOf returns the file or directory that a path leads to, "" for none, for one that has the home in it, and by a link that does not
// count.
func (g *Given) fileOf(at string) string {
	to := g.follow(at)
	if here := disk.At(to); !here.IsDir() && !here.IsRegular() || config.Within(g.home, to) {
		return ""
	}
	return to
}

// follow resolves a path by links that count, "" where another link is on the way.
func (g *Given) follow(at string) string {
	links, to := disk.Links(at)
	if slices.ContainsFunc(links, g.mayBeLaid) {
		return ""
	}
	return to
}

// mayBeLaid reports whether a session can have made a link.
func (g *Given) mayBeLaid(link string) bool {
	dir := filepath.Dir(link)
	tree, err := workTree(dir, g.home)
	return tree != "" || err != nil || isIn(dir, g.written)
}

// isIn reports whether a path is one of these directories, or in one.
func isIn(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return config.Within(path, dir) })
}

// program gives a directory of PATH: with the tool that it belongs to, else its entries one by one, so that what a session installs beside
// them is the account's. Of what a link in it leads to it gives the tool.
func (g *Given) program(dir string) {
	if !g.isOfUser(dir) {
		return // the system's
	}
	whole := cmp.Or(g.toolOf(dir), g.prefixOf(dir))
	entries, _ := os.ReadDir(dir) // what cannot be read is not given
	if whole == "" && (len(entries) > mostEntries || !g.isOfUser(g.fileOf(dir))) {
		whole = dir
	}
	if whole != "" {
		g.give(whole, g.leadsTo(whole))
	}
	for _, entry := range entries {
		at := filepath.Join(dir, entry.Name())
		to := g.leadsTo(at)
		if whole == "" {
			g.give(at, to)
		}
		if tool := g.toolOf(to); tool != "" {
			g.give(tool, g.leadsTo(tool))
		} else if entry.Type() == fs.ModeSymlink && whole != "" && g.isOfUser(to) && !config.Within(to, whole) {
			g.give(to, to) // what is given as a whole has the link
		}
	}
}

// toolOf returns the directory of a tool that a path of the home lies in as a whole, "" for none.
func (g *Given) toolOf(path string) string {
	if before, _, in := strings.Cut(path, "/node_modules/"); in && g.isOfUser(before) {
		return filepath.Join(before, "node_modules")
	}
	for _, name := range tools {
		if tool := filepath.Join(g.home, name); config.Within(path, tool) {
			return tool
		}
	}
	return ""
}

// prefixOf returns the directory that programs were installed into with what they need, "" for none. One like ~/.cabal holds settings, too.
func (g *Given) prefixOf(dir string) string {
	above := filepath.Dir(dir)
	has := func(name string) bool { return disk.At(filepath.Join(above, name)).IsDir() }
	mixed := above == g.home || filepath.Dir(above) == g.home && filepath.Base(above)[0] == '.' || g.mayBeLaid(dir)
	if mixed || !slices.ContainsFunc([]string{"lib", "libexec", "gems"}, has) {
		return ""
	}
	return above
}
