package install

import (
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
	name := ""
	if shell != "" {
		name = filepath.Base(shell)
	}
	known = name == ""
	for _, sh := range []struct {
		names []string
		signs []string
		files []startup
	}{
		{[]string{"bash"}, p.inHome(".bashrc", ".bash_profile", ".bash_login"), p.bash()},
		{[]string{"zsh"}, p.zshSigns(), p.zsh()},
		{[]string{"fish"}, []string{filepath.Join(p.config, "fish")}, p.fish()},
		{[]string{"sh", "dash", "ash", "ksh", "mksh"}, p.inHome(".profile"), posixFiles(p.inHome(".profile"))},
	} {
		theirs := slices.Contains(sh.names, name)
		known = known || theirs
		if theirs || slices.ContainsFunc(sh.signs, p.exists) {
			files = append(files, sh.files...)
		}
	}
	return unique(files), known
}

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

func unique(files []startup) []startup {
	var out []startup
	for _, f := range files {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}
