package doctor

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/process"
)

// checkGit looks for git's conditions on ~, if an account, or the first one to come, has a HOME of its own: git expands ~ by HOME, so the
// condition does not hold in a session.
func checkGit(x *exam) {
	moved := func(acct account.Account) bool {
		isolation, _ := x.Settings.For(acct.Key)
		return isolation == config.IsolateHome
	}
	if !slices.ContainsFunc(x.accounts, moved) && (len(x.accounts) > 0 || x.Settings.Isolation != config.IsolateHome) {
		return
	}
	if file := x.gitCondition(); file != "" {
		hint := `set isolation = "codex-home" in ` + filepath.Join(x.Places.Config, config.SettingsFile)
		x.warn(hint, `%s has an includeIf "gitdir:~…", which does not match in a session: ~ is another directory there`, file)
	}
}

// gitCondition returns a file of git's configuration with a condition on a directory below ~, "" for none. It asks git, which knows its
// files and their includes.
func (x *exam) gitCondition() string {
	git, err := account.OnPath("git", x.Env, x.Places)
	if err != nil {
		return "" // without git nobody reads its configuration
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	args := []string{"git", "config", "--show-origin", "--name-only", "--null", "--get-regexp", `^includeif\.gitdir(/i)?:~`}
	env := account.Outside(x.Env, x.Places).With("HOME", x.Home)
	found, _ := process.Ask(ctx, process.Program{Path: git, Args: args, Env: env, Dir: "/"}, 1<<20) // git fails where it finds none
	file, _, _ := strings.Cut(found, "\x00")
	return strings.TrimPrefix(file, "file:")
}
