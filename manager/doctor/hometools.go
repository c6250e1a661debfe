//go:build unix

package doctor

import (
	"path/filepath"
	"slices"
	"strings"

	"swop/account"
	"swop/config"
	"swop/disk"
)

// HomeTools returns a finding for each tool with a condition on ~ in its configuration, if one of the accounts, or the first one to come, has
// its HOME moved: the tool expands ~ by HOME, so the condition does not hold in a session.
func (s Subject) HomeTools(accounts []account.Account) []Finding {
	moved := func(acct account.Account) bool {
		isolation, _ := s.Settings.For(acct.Key)
		return isolation == config.IsolateHome
	}
	if !slices.ContainsFunc(accounts, moved) && (len(accounts) > 0 || s.Settings.Isolation != config.IsolateHome) {
		return fine("HOME is left alone")
	}
	hint := `set isolation = "codex-home" in ` + filepath.Join(s.Places.Config, config.SettingsFile)
	config := filepath.Join(s.Home, ".config")
	if dir := s.Env.Value("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		config = dir
	}
	files := []string{filepath.Join(s.Home, ".gitconfig"), filepath.Join(config, "git", "config")}
	if file := s.Env.Value("GIT_CONFIG_GLOBAL"); file != "" {
		files = []string{file}
	}
	found := fine(`no includeIf "gitdir:~…"`)
	for _, file := range files {
		if file = gitCondition(file, s.Home, 10); file != "" {
			found = warn(hint, `%s has an includeIf "gitdir:~…", which does not match in a session: ~ is another directory there`, file)
			break
		}
	}
	for _, file := range []string{filepath.Join(s.Home, ".jjconfig.toml"), filepath.Join(config, "jj", "config.toml")} {
		if slices.ContainsFunc(linesOf(file), func(line string) bool { return strings.Contains(line, "--when") && strings.Contains(line, `"~`) }) {
			jj := warn(hint, `%s has a --when on "~/…", which does not match in a session: ~ is another directory there`, file)
			return append(found, named("jj", jj)...)
		}
	}
	return found
}

// gitCondition returns the file with a condition on a directory below ~: this one of git's or one that it includes, "" for none. Git itself
// follows includes to a depth of 10 (config.c, MAX_INCLUDE_DEPTH).
func gitCondition(file, home string, depth int) string {
	section := ""
	for _, line := range linesOf(file) {
		line = strings.TrimSpace(line)
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
		included := strings.Trim(strings.TrimSpace(value), `"`)
		if rest, ok := strings.CutPrefix(included, "~/"); ok {
			included = filepath.Join(home, rest)
		} else if !filepath.IsAbs(included) {
			included = filepath.Join(filepath.Dir(file), included)
		}
		if found := gitCondition(included, home, depth-1); found != "" {
			return found
		}
	}
	return ""
}

// linesOf returns the lines of a text file; none of one that is not a regular file, cannot be read, or has over 1 MB.
func linesOf(file string) []string {
	text, _ := disk.ReadFile(file, 0, 1<<20) // "" where it fails
	return strings.Split(text, "\n")
}
