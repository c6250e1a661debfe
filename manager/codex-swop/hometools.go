//go:build unix

package main

import (
	"path/filepath"
	"strings"

	"swop/config"
	"swop/manager/account"
	"swop/manager/disk"
)

// Tools whose configuration asks where in the home one is. They expand ~ by HOME, which is another directory in a session, so that
// these conditions do not hold there.

// checkHomeTools finds such conditions where an account has its HOME moved.
func checkHomeTools(s scene, accounts []account.Account) []check {
	if !movesHome(s, accounts) {
		return []check{fine("git", "HOME is left alone")}
	}
	checks := []check{fine("git", `no includeIf "gitdir:~…"`)}
	if file := gitCondition(s); file != "" {
		checks[0] = warn("git", isolationHint(s), `%s has an includeIf "gitdir:~…", which does not match in a session: ~ is another directory there`, file)
	}
	if file := jjCondition(s); file != "" {
		checks = append(checks, warn("jj", isolationHint(s), `%s has a --when on "~/…", which does not match in a session: ~ is another directory there`, file))
	}
	return checks
}

// movesHome reports whether an account has a HOME of its own, or a new one would have.
func movesHome(s scene, accounts []account.Account) bool {
	for _, acct := range accounts {
		if isolation, _ := s.settings.For(acct.Key); isolation == config.IsolateHome {
			return true
		}
	}
	return len(accounts) == 0 && s.settings.Isolation == config.IsolateHome
}

func isolationHint(s scene) string {
	return `set isolation = "codex-home" in ` + filepath.Join(s.Places.Config, config.SettingsFile)
}

// warnOfHome says what the new account will see otherwise than its user.
func (a *app) warnOfHome(s scene, n addition) error {
	acct, err := s.store.Find(n.label)
	if err != nil {
		return err
	}
	for _, c := range checkHomeTools(s, []account.Account{acct}) {
		if c.State != stateOK {
			a.say("%s", c.Text)
			a.say("hint: %s", c.Hint)
		}
	}
	return nil
}

// maxIncludes is how deep git follows includes (config.c, MAX_INCLUDE_DEPTH).
const maxIncludes = 10

// gitCondition returns the user's git configuration file with a condition on a directory below ~, "" if there is none.
func gitCondition(s scene) string {
	files := []string{filepath.Join(s.Home, ".gitconfig"), filepath.Join(configHome(s), "git", "config")}
	if file := s.Env.Value("GIT_CONFIG_GLOBAL"); file != "" {
		files = []string{file}
	}
	for _, file := range files {
		if found := gitConditionIn(file, s.Home, maxIncludes); found != "" {
			return found
		}
	}
	return ""
}

func gitConditionIn(file, home string, depth int) string {
	section := ""
	for _, line := range linesOf(file) {
		lower := strings.ToLower(line)
		if strings.HasPrefix(line, "[") {
			section = lower
		}
		if strings.HasPrefix(lower, "[includeif") && (strings.Contains(lower, `"gitdir:~`) || strings.Contains(lower, `"gitdir/i:~`)) {
			return file
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok || depth == 0 || !strings.HasPrefix(section, "[include]") || !strings.EqualFold(strings.TrimSpace(name), "path") {
			continue
		}
		included := expand(strings.Trim(strings.TrimSpace(value), `"`), filepath.Dir(file), home)
		if found := gitConditionIn(included, home, depth-1); found != "" {
			return found
		}
	}
	return ""
}

func expand(path, dir, home string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home, rest)
	}
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// jjCondition returns the user's jj configuration file with a condition on a repository below ~, "" if there is none.
func jjCondition(s scene) string {
	for _, file := range []string{filepath.Join(s.Home, ".jjconfig.toml"), filepath.Join(configHome(s), "jj", "config.toml")} {
		for _, line := range linesOf(file) {
			if strings.Contains(line, "--when") && strings.Contains(line, `"~`) {
				return file
			}
		}
	}
	return ""
}

func configHome(s scene) string {
	if dir := s.Env.Value("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(s.Home, ".config")
}

// maxToolFile bounds what is read of another tool's configuration, in bytes.
const maxToolFile = 1 << 20

// linesOf returns the lines of a text file without what surrounds them, none if it cannot be read, is no file, or never ends.
func linesOf(file string) []string {
	text, _, err := disk.ReadFile(file, 0, maxToolFile)
	if err != nil {
		return nil
	}
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}
