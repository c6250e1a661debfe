//go:build unix

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"swop/install"
	"swop/manager"
)

// checkInstallation looks at what install made: whoever can write there decides what codex is.
func (a *app) checkInstallation(s scene, standing install.Standing) []check {
	const name = "installation"
	bin := filepath.Dir(a.executable)
	prefix := install.PrefixOf(a.executable)
	if prefix == "" {
		return []check{fine(name, "%s was not made by codex swop install", manager.Shown(bin))}
	}
	var checks []check
	for _, file := range []string{prefix, bin, a.shim(), a.executable} {
		if others := writers(file); others != "" {
			checks = append(checks, problem(name, "chmod go-w "+manager.ShellQuote(file), "%s %s, who can put another codex there", manager.Shown(file), others))
		}
	}
	if !install.SameBuild(bin) {
		checks = append(checks, warn(name, "./install.sh", "codex and codex-swop in %s are of different builds", manager.Shown(bin)))
	}
	if len(standing.Left) > 0 {
		hint := a.us(s.Env.Value("PATH")) + " swop install"
		checks = append(checks, warn(name, hint, "an install was cut off and left %s", shownList(standing.Left)))
	}
	if checks == nil {
		checks = append(checks, fine(name, "%s", manager.Shown(prefix)))
	}
	return checks
}

func shownList(files []string) string {
	var shown []string
	for _, file := range files {
		shown = append(shown, manager.Shown(file))
	}
	return strings.Join(shown, ", ")
}

// writers says who else could write a file of the installation, "" for none but the user, root and, where it is a group of his own, the
// user's primary group.
func writers(file string) string {
	info, err := os.Stat(file)
	if err != nil {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch mode := info.Mode(); {
	case !ok:
		return ""
	case stat.Uid != 0 && int(stat.Uid) != os.Geteuid():
		return "belongs to uid " + strconv.Itoa(int(stat.Uid))
	case mode.IsDir() && mode&fs.ModeSticky != 0:
		return ""
	case mode&0o002 != 0, mode&0o020 != 0 && int(stat.Gid) != os.Getegid():
		return "is writable by other users (mode " + strconv.FormatUint(uint64(mode.Perm()), 8) + ")"
	}
	return ""
}
