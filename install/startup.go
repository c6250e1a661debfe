package install

import (
	"fmt"
	"path/filepath"
	"slices"
)

// A startup is a file that a shell reads when it starts.
type startup struct {
	path   string
	syntax syntax
}

// A place is what decides which start-up files there are.
type place struct {
	home    string
	zdotdir string // where zsh looks for its own, never ""
	config  string // $XDG_CONFIG_HOME or ~/.config
	mac     bool   // /etc/zprofile runs path_helper, which puts the system's directories first
	exists  func(path string) bool
}

// startups returns the files to change: those of the user's shell, a name or a path, and those of every shell that has been set
// up here. known is false where shell is none of ours and not "".
func (p place) startups(shell string) (files []startup, known bool) {
	known = shell == ""
	for _, k := range p.kinds() {
		theirs := k.includes(shell)
		known = known || theirs
		if theirs || k.setUp(p) {
			files = append(files, k.files...)
		}
	}
	return unique(files), known
}

// A kind is what some shells have in common.
type kind struct {
	names []string
	signs []string // files of which one is there where a shell of this kind has been set up
	files []startup
}

func (p place) kinds() []kind {
	return []kind{
		{[]string{"bash"}, p.inHome(".bashrc", ".bash_profile", ".bash_login"), p.bash()},
		{[]string{"zsh"}, p.zshSigns(), p.zsh()},
		{[]string{"fish"}, []string{filepath.Join(p.config, "fish")}, p.fish()},
		{[]string{"sh", "dash", "ash", "ksh", "mksh"}, p.inHome(".profile"), posixFiles(p.inHome(".profile"))},
	}
}

func (k kind) includes(shell string) bool {
	return shell != "" && slices.Contains(k.names, filepath.Base(shell))
}

func (k kind) setUp(p place) bool { return slices.ContainsFunc(k.signs, p.exists) }

// bash reads .bashrc where it is interactive and no login shell, else the first of three.
func (p place) bash() []startup {
	login := p.inHome(".bash_profile", ".bash_login", ".profile")
	i := slices.IndexFunc(login, p.exists)
	if i < 0 {
		i = 2 // a new .bash_profile would hide a .profile that comes later
	}
	return posixFiles(append(p.inHome(".bashrc"), login[i]))
}

// zsh reads .zshenv always and then the others. The first zsh reads the .zshenv of HOME, where ZDOTDIR is usually set; those that
// inherit the variable read the one there.
func (p place) zsh() []startup {
	var files []string
	if atHome := filepath.Join(p.home, ".zshenv"); p.exists(atHome) {
		files = append(files, atHome)
	}
	files = append(files, filepath.Join(p.zdotdir, ".zshenv"))
	if profile := filepath.Join(p.zdotdir, ".zprofile"); p.mac || p.exists(profile) {
		files = append(files, profile)
	}
	files = append(files, filepath.Join(p.zdotdir, ".zshrc"))
	if login := filepath.Join(p.zdotdir, ".zlogin"); p.exists(login) {
		files = append(files, login)
	}
	return posixFiles(files)
}

func (p place) zshSigns() []string {
	signs := p.inHome(".zshenv")
	for _, name := range zshNames {
		signs = append(signs, filepath.Join(p.zdotdir, name))
	}
	return signs
}

// fish reads conf.d first and config.fish last; what config.fish puts on PATH comes before what conf.d put there.
func (p place) fish() []startup {
	dir := filepath.Join(p.config, "fish")
	files := []startup{{filepath.Join(dir, "conf.d", "swop.fish"), fish}}
	if own := filepath.Join(dir, "config.fish"); p.exists(own) {
		files = append(files, startup{own, fish})
	}
	return files
}

var (
	bashNames = []string{".bashrc", ".bash_profile", ".bash_login", ".profile"}
	zshNames  = []string{".zshenv", ".zprofile", ".zshrc", ".zlogin"}
)

// everywhere returns every file that startups could name at some time.
func (p place) everywhere() []string {
	files := p.inHome(slices.Concat(bashNames, zshNames)...)
	for _, name := range zshNames {
		files = append(files, filepath.Join(p.zdotdir, name))
	}
	dir := filepath.Join(p.config, "fish")
	return append(files, filepath.Join(dir, "conf.d", "swop.fish"), filepath.Join(dir, "config.fish"))
}

func (p place) inHome(names ...string) []string {
	files := make([]string, 0, len(names))
	for _, name := range names {
		files = append(files, filepath.Join(p.home, name))
	}
	return files
}

func posixFiles(paths []string) []startup {
	files := make([]startup, 0, len(paths))
	for _, path := range paths {
		files = append(files, startup{path, posix})
	}
	return files
}

// promptLines returns what the file's shell needs to put bin first before each prompt, "" where the file is for no
// interactive shell.
func (st startup) promptLines(bin string) string {
	switch name := filepath.Base(st.path); {
	case st.syntax == fish:
		return fmt.Sprintf(fishPrompt, fish.quote(bin))
	case name == ".zshrc":
		return fmt.Sprintf(zshPrompt, posix.quote(bin))
	case slices.Contains(bashNames, name) && name != ".profile":
		return fmt.Sprintf(bashPrompt, posix.quote(bin))
	}
	return ""
}

func unique(files []startup) []startup {
	var out []startup
	for _, f := range files {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}
