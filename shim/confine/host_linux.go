package confine

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"swop/config"
	"swop/manager/stamp"
)

func realOr(path, otherwise string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return otherwise
}

// existingReal returns those of paths that exist, with links resolved.
func existingReal(paths ...string) []string {
	list := []string{}
	for _, path := range paths {
		if real := realOr(path, ""); real != "" {
			list = append(list, real)
		}
	}
	return list
}

// resolvers are the directories in /run, which is private, that host names and programs are found by.
func resolvers() (list []string) {
	if file := realOr("/etc/resolv.conf", ""); config.Within(file, "/run") {
		list = append(list, filepath.Dir(file))
	}
	return append(list, existing("/run", "opengl-driver", "booted-system")...)
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
	return existingReal(dirs...)
}

// codexPackage returns the directory of the package that the program belongs to.
func codexPackage(codex string) []string {
	file := realOr(codex, codex)
	if before, _, ok := strings.Cut(file, "/node_modules/@openai/"); ok {
		return existingReal(filepath.Join(before, "node_modules", "@openai"))
	}
	return existingReal(file)
}

// homeMasks returns what HOME inside has for the entries that are not shared: the account's own, or nothing.
func homeMasks(c *Scene, own string, private []string) (masks []HomeMask, err error) {
	if len(private) == 0 {
		return nil, nil
	}
	list, err := names(c.Home)
	for _, name := range list {
		if !matchesAny(private, name) || name == ".codex" {
			continue
		}
		m := HomeMask{Name: name, Dir: isDir(filepath.Join(c.Home, name))}
		if info, err := os.Lstat(filepath.Join(own, name)); err == nil && info.IsDir() == m.Dir && info.Mode()&fs.ModeSymlink == 0 {
			m.Source = filepath.Join(own, name)
		}
		masks = append(masks, m)
	}
	return masks, err
}

func matchesAny(patterns []string, name string) bool {
	for _, pattern := range patterns {
		if stamp.Matches(pattern, name) {
			return true
		}
	}
	return false
}
