//go:build unix

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"swop/install"
	"swop/say"
)

// checkInstallation returns the checks of what install made: whoever can write there decides what codex is. own is the default prefix of
// this user.
func (a *app) checkInstallation(state install.State, own string) []check {
	const name = "installation"
	bin := filepath.Dir(a.executable)
	prefix := install.PrefixOf(a.executable)
	if prefix == "" {
		return []check{fine(name, "%s was not made by codex swop install", say.Name(bin))}
	}
	var checks []check
	for _, file := range a.installedFiles() {
		switch uid, open := writers(file); {
		case uid >= 0 && file == prefix && prefix != own: // another user's, with all its contents
			hint := "codex swop install --prefix " + say.ShellQuote(own)
			return []check{problem(name, hint, "%s belongs to uid %d, who can put another codex there", say.Name(file), uid)}
		case uid >= 0:
			hint := fmt.Sprintf("sudo chown %d %s", os.Geteuid(), say.ShellQuote(file))
			checks = append(checks, problem(name, hint, "%s belongs to uid %d, who can put another codex there", say.Name(file), uid))
		case open != 0:
			hint := "chmod go-w " + say.ShellQuote(file)
			checks = append(checks, problem(name, hint, "%s is writable by other users (mode %o), who can put another codex there", say.Name(file), open))
		}
	}
	if !install.SameBuild(bin) {
		checks = append(checks, warn(name, "./install.sh", "codex and codex-swop in %s are from different builds", say.Name(bin)))
	}
	if len(state.Leftovers) > 0 {
		checks = append(checks, warn(name, "codex swop install", "an interrupted install left %s", shownList(state.Leftovers)))
	}
	if checks == nil {
		checks = append(checks, fine(name, "%s", say.Name(prefix)))
	}
	return checks
}

// installedFiles returns what install made and what decides what codex is; nothing if this program is not installed.
func (a *app) installedFiles() []string {
	prefix := install.PrefixOf(a.executable)
	if prefix == "" {
		return nil
	}
	return []string{prefix, filepath.Dir(a.executable), a.shim(), a.executable}
}

func shownList(files []string) string {
	var shown []string
	for _, file := range files {
		shown = append(shown, say.Name(file))
	}
	return strings.Join(shown, ", ")
}

// writers returns who else could write a file of the installation: its owner if that is neither this user nor root, else -1, and its
// mode if that lets others write, else 0. The user's own primary group does not count.
func writers(file string) (uid int, open fs.FileMode) {
	info, err := os.Stat(file)
	if err != nil {
		return -1, 0
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch mode := info.Mode(); {
	case !ok || mode.IsDir() && mode&fs.ModeSticky != 0:
		return -1, 0
	case stat.Uid != 0 && int(stat.Uid) != os.Geteuid():
		return int(stat.Uid), 0
	case mode&0o002 != 0, mode&0o020 != 0 && int(stat.Gid) != os.Getegid():
		return -1, mode.Perm()
	}
	return -1, 0
}
