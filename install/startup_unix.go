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
	"swop/internal/account/process"
)

// mainEnv is in the prefix of every installation.
const mainEnv = posixEnv

// startups returns the start-up files that there can be.
func (s *session) startups() []startup {
	home, dir := s.o.Home, s.o.Env.Value("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(home, ".config")
	}
	login := !exists(filepath.Join(home, ".bash_profile")) && !exists(filepath.Join(home, ".bash_login")) // else these hide .profile from bash
	sh := "sh dash ash ksh mksh"
	if login {
		sh += " bash"
	}
	zdotdir := zdotdir(home, s.o.Env)
	files := []startup{
		{"bash", filepath.Join(home, ".bashrc"), posixEnv, true},
		{"bash", filepath.Join(home, ".bash_profile"), posixEnv, false},
		{"bash", filepath.Join(home, ".bash_login"), posixEnv, false},
		{sh, filepath.Join(home, ".profile"), posixEnv, true},
		{"zsh", filepath.Join(zdotdir, ".zshenv"), posixEnv, true},
		{"zsh", filepath.Join(zdotdir, ".zprofile"), posixEnv, false},
		{"zsh", filepath.Join(zdotdir, ".zshrc"), posixEnv, true},
		{"zsh", filepath.Join(zdotdir, ".zlogin"), posixEnv, false},
		{"fish", filepath.Join(dir, "fish", "config.fish"), fishEnv, true},
		{"pwsh", filepath.Join(dir, "powershell", "profile.ps1"), powerEnv, true},
		{"pwsh", filepath.Join(dir, "powershell", "Microsoft.PowerShell_profile.ps1"), powerEnv, false},
	}
	if zdotdir != home {
		files = append(files, startup{"zsh", filepath.Join(home, ".zshenv"), posixEnv, false})
	}
	return files
}

// zdotdir returns the directory that zsh reads its files from. Most users who set it do so in ~/.zshenv without exporting it, so zsh is
// asked (as rustup's installer does), for at most ten seconds.
func zdotdir(home string, env config.Env) string {
	if dir := env.Value("ZDOTDIR"); filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	zsh := lookPath("zsh", env.Value("PATH"))
	if zsh == "" || !exists(filepath.Join(home, ".zshenv")) {
		return home
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	args := []string{zsh, "-c", `printf '\0swop:%s' "${ZDOTDIR-}"`}
	out, err := process.Ask(ctx, exec.Cmd{Path: zsh, Args: args, Env: env.Without("ZDOTDIR").With("HOME", home)}, 1<<20)
	_, dir, _ := strings.Cut(out, "\x00swop:") // after whatever .zshenv prints
	if err != nil || !filepath.IsAbs(dir) {
		return home
	}
	return filepath.Clean(dir)
}

// shells returns the shells that the user has.
func (s *session) shells() []Shell {
	var list []Shell
	for _, name := range []string{"bash", "zsh", "fish"} {
		sh := Shell{Name: name, Own: filepath.Base(s.shell) == name}
		setUp := slices.ContainsFunc(s.startups(), func(f startup) bool { return f.isOf(name) && filepath.Base(f.path) != ".profile" && exists(f.path) })
		if !sh.Own && !setUp {
			continue
		}
		sh.Path = lookPath(name, s.o.Env.Value("PATH"))
		if sh.Own && filepath.IsAbs(s.shell) && exists(s.shell) {
			sh.Path = s.shell
		}
		if sh.Path != "" {
			list = append(list, sh)
		}
	}
	return list
}

// LineFor returns the line that makes the shell, a path or a name, run swop's codex from bin at once.
func LineFor(shell, bin string) string {
	if filepath.Base(shell) == "fish" {
		return "set -gx PATH " + quoted(fishEnv, bin) + " $PATH"
	}
	return "export PATH=" + quoted(posixEnv, bin) + `:"$PATH"`
}

// remembers reports whether the shell remembers where it found a program.
func remembers(shell string) bool { return filepath.Base(shell) != "fish" }

// The PATH of a user is in start-up files alone.
func (*session) addToUserPath() bool { return false }
func (*session) removeFromUserPath() {}
