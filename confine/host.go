package confine

import (
	"path/filepath"
	"strings"

	"swop/config"
	"swop/disk"
)

// placesOf returns where paths lead, and the links that they are themselves. What does not exist yet has its place as well.
func placesOf(paths ...string) (list []string) {
	for _, path := range paths {
		to, name := disk.Resolve(path), filepath.Join(disk.Resolve(filepath.Dir(path)), filepath.Base(path))
		list = append(list, to)
		if name != to {
			list = append(list, name)
		}
	}
	return list
}

// Real returns those of paths that exist, with links resolved.
func Real(paths ...string) []string {
	list := []string{}
	for _, path := range paths {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			list = append(list, real)
		}
	}
	return list
}

// Protected returns what programs outside run later: the start-up files that exist, and the real codex.
func Protected(home string, env config.Env, codex string) []string {
	return append(startupFiles(home, env), codexPackage(codex)...)
}

// startupFiles returns those files that login shells, sessions and services read, and that exist.
func startupFiles(home string, env config.Env) []string {
	dirs := existing(home, ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshenv", ".zprofile", ".zshrc", ".zlogin",
		".zlogout", ".kshrc", ".xprofile", ".xsession", ".xinitrc", ".pam_environment")
	dirs = append(dirs, existing(filepath.Join(home, ".config"), "fish", "autostart", "systemd", "environment.d")...)
	dirs = append(dirs, existing(filepath.Join(home, ".ssh"), "rc", "authorized_keys", "config")...)
	if zsh := env.Value("ZDOTDIR"); filepath.IsAbs(zsh) {
		dirs = append(dirs, existing(zsh, ".zshenv", ".zprofile", ".zshrc", ".zlogin")...)
	}
	return Real(dirs...)
}

// codexPackage returns the directory of the package that the program belongs to.
func codexPackage(codex string) []string {
	file := disk.Resolve(codex)
	if before, _, ok := strings.Cut(file, "/node_modules/@openai/"); ok {
		return Real(filepath.Join(before, "node_modules", "@openai"))
	}
	return Real(file)
}
