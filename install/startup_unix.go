//go:build unix

package install

import (
	"os"
	"path/filepath"
)

// usualEnv is the file that a running shell reads, unless it is fish.
const usualEnv = posixEnv

// dataDirs lead from the home to where swop is installed.
var dataDirs = []string{".local", "share", "swop"}

// startups returns all start-up files that shells read.
func (s *session) startups() []startup {
	config, zsh := s.Env.Value("XDG_CONFIG_HOME"), s.Env.Value("ZDOTDIR")
	if !filepath.IsAbs(config) {
		config = filepath.Join(s.Home, ".config")
	}
	if !filepath.IsAbs(zsh) {
		zsh = s.Home
	}
	return []startup{
		{filepath.Join(s.Home, ".bashrc"), posixEnv, "bash"},
		{filepath.Join(s.Home, ".bash_profile"), posixEnv, ""},
		{filepath.Join(s.Home, ".bash_login"), posixEnv, ""},
		{filepath.Join(s.Home, ".profile"), posixEnv, "bash sh dash ksh"},
		{filepath.Join(s.Home, ".zshenv"), posixEnv, ""},
		{filepath.Join(zsh, ".zshenv"), posixEnv, "zsh"},
		{filepath.Join(zsh, ".zprofile"), posixEnv, ""},
		{filepath.Join(zsh, ".zshrc"), posixEnv, "zsh"},
		{filepath.Join(zsh, ".zlogin"), posixEnv, ""},
		{filepath.Join(config, "fish", "config.fish"), fishEnv, "fish"},
		{filepath.Join(config, "powershell", "profile.ps1"), powerEnv, "pwsh"},
		{filepath.Join(config, "powershell", "Microsoft.PowerShell_profile.ps1"), powerEnv, ""},
	}
}

// rename puts a file in the place of one that may run.
func rename(from, to string) error { return os.Rename(from, to) }

// changeUserPath does nothing: only start-up files set the PATH of a user.
func (*session) changeUserPath(func(text, dir string) string) {}
