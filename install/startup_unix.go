//go:build unix

package install

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"swop/config"
)

// A startup is a file that a shell reads when it starts.
type startup struct {
	path   string
	syntax syntax
}

// A place is what decides which start-up files there are.
type place struct {
	home    string
	zdotdir string // where zsh reads its own, never ""
	config  string // $XDG_CONFIG_HOME or ~/.config
	mac     bool   // /etc/zprofile runs path_helper, which puts the system's directories first
	exists  func(path string) bool
}

// startups returns the files to change: those of the user's shell, a name or a path, and those of every shell that has been set
// up here. known is false if shell is neither one of the kinds nor "".
func (p place) startups(shell string) (files []startup, known bool) {
	known = shell == ""
	for _, k := range p.kinds() {
		theirs := k.includes(shell)
		known = known || theirs
		if !theirs && !k.setUp(p) {
			continue
		}
		for _, f := range k.files {
			if !slices.Contains(files, f) {
				files = append(files, f)
			}
		}
	}
	return files, known
}

// A kind is what some shells have in common.
type kind struct {
	names []string
	signs []string // if one of these files exists, a shell of this kind has been set up
	files []startup
}

func (p place) kinds() []kind {
	return []kind{
		{[]string{"bash"}, p.inHome(".bashrc", ".bash_profile", ".bash_login"), p.bash()},
		{[]string{"zsh"}, append(p.inHome(".zshenv"), in(p.zdotdir, zshNames)...), p.zsh()},
		{[]string{"fish"}, []string{filepath.Join(p.config, "fish")}, p.fish()},
		{[]string{"sh", "dash", "ash", "ksh", "mksh"}, p.inHome(".profile"), posixFiles(p.inHome(".profile"))},
	}
}

func (k kind) includes(shell string) bool {
	return shell != "" && slices.Contains(k.names, filepath.Base(shell))
}

func (k kind) setUp(p place) bool { return slices.ContainsFunc(k.signs, p.exists) }

// bash returns what bash reads: .bashrc if it is interactive and no login shell, else the first of three.
func (p place) bash() []startup {
	login := p.inHome(".bash_profile", ".bash_login", ".profile")
	i := slices.IndexFunc(login, p.exists)
	if i < 0 {
		i = 2 // a new .bash_profile would hide a .profile that comes later
	}
	return posixFiles(append(p.inHome(".bashrc"), login[i]))
}

// zsh returns what zsh reads, in this order. The first zsh reads the .zshenv of HOME, where ZDOTDIR is usually set; those that inherit the
// variable read the one in that directory.
func (p place) zsh() []startup {
	var files []string
	if atHome := filepath.Join(p.home, ".zshenv"); p.exists(atHome) {
		files = append(files, atHome)
	}
	for _, name := range zshNames {
		needed := name == ".zshenv" || name == ".zshrc" || name == ".zprofile" && p.mac
		if file := filepath.Join(p.zdotdir, name); needed || p.exists(file) {
			files = append(files, file)
		}
	}
	return posixFiles(files)
}

// fish returns what fish reads: conf.d first and config.fish last, which may put directories before those that conf.d put on PATH.
func (p place) fish() []startup {
	paths := in(p.config, fishNames)
	files := []startup{{paths[0], fish}}
	if p.exists(paths[1]) {
		files = append(files, startup{paths[1], fish})
	}
	return files
}

var (
	bashNames = []string{".bashrc", ".bash_profile", ".bash_login", ".profile"}
	zshNames  = []string{".zshenv", ".zprofile", ".zshrc", ".zlogin"}
	fishNames = []string{"fish/conf.d/swop.fish", "fish/config.fish"}
)

// everywhere returns every file that startups could ever return.
func (p place) everywhere() []string {
	return slices.Concat(p.inHome(bashNames...), p.inHome(zshNames...), in(p.zdotdir, zshNames), in(p.config, fishNames))
}

func (p place) inHome(names ...string) []string { return in(p.home, names) }

// in returns the paths of the names in dir.
func in(dir string, names []string) []string {
	files := make([]string, 0, len(names))
	for _, name := range names {
		files = append(files, filepath.Join(dir, name))
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

// zdotdir returns the directory that zsh reads its files from. Most users who set it do so in ~/.zshenv without exporting it, so zsh is asked
// (as rustup's installer does), for at most ten seconds.
func zdotdir(home string, env config.Env) string {
	if dir := env.Value("ZDOTDIR"); filepath.IsAbs(dir) {
		return dir
	}
	zsh := lookPath("zsh", env.Value("PATH"))
	if zsh == "" || !exists(filepath.Join(home, ".zshenv")) {
		return home
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, zsh, "-c", `printf '\0swop:%s' "${ZDOTDIR-}"`)
	cmd.Env = env.Without("ZDOTDIR").With("HOME", home)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	_, dir, _ := strings.Cut(string(out), "\x00swop:") // after whatever .zshenv prints
	if err != nil || !filepath.IsAbs(dir) {
		return home
	}
	return dir
}
