//go:build unix

package doctor

import (
	"context"
	"os/exec"
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
	found := fine(`no includeIf "gitdir:~…"`)
	if file := s.gitCondition(); file != "" {
		found = warn(hint, `%s has an includeIf "gitdir:~…", which does not match in a session: ~ is another directory there`, file)
	}
	for _, file := range []string{filepath.Join(s.Home, ".jjconfig.toml"), filepath.Join(config, "jj", "config.toml")} {
		text, _ := disk.ReadFile(file, 0, 1<<20) // "" where it fails
		for line := range strings.Lines(text) {
			if strings.Contains(line, "--when") && strings.Contains(line, `"~`) {
				jj := warn(hint, `%s has a --when on "~/…", which does not match in a session: ~ is another directory there`, file)
				return append(found, named("jj", jj)...)
			}
		}
	}
	return found
}

// gitCondition returns a file of git's configuration with a condition on a directory below ~, "" for none. Git is asked, which knows its files and
// what they include.
func (s Subject) gitCondition() string {
	git, err := disk.OnPath("git", s.Env.Value("PATH"))
	if err != nil {
		return "" // nobody reads its configuration
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, git, "config", "--show-origin", "--name-only", "--null", "--get-regexp", `^includeif\.gitdir(/i)?:~`)
	cmd.Env, cmd.Dir = s.Env.With("HOME", s.Home), "/"
	out, _ := cmd.Output() // it fails where it finds none
	file, _, _ := strings.Cut(string(out), "\x00")
	return strings.TrimPrefix(file, "file:")
}
