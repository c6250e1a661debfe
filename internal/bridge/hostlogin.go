package bridge

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"swop/config"
)

// ErrRefused says that a host command does not run.
var ErrRefused = errors.New("refused")

// HostLogins returns where programs of the host keep logins to the services that a bridge for GitHub leads to: with them a session would
// need no bridge. That is what git's configuration names, and the places that git, gh and curl look in by themselves. Some may not exist.
func HostLogins(list config.Bridges, home string, env config.Env) (paths []string) {
	for _, b := range list {
		if b.Kind == config.BridgeGitHub {
			return append(usualLogins(home, env), gitStores(home, env)...)
		}
	}
	return nil
}

// usualLogins are those of netrc(5), gh(1), git-credential-store(1) and git-credential-cache(1).
func usualLogins(home string, env config.Env) []string {
	at := func(variable, usual string) string {
		if dir := env.Value(variable); filepath.IsAbs(dir) {
			return dir
		}
		return filepath.Join(home, usual)
	}
	configs := at("XDG_CONFIG_HOME", ".config")
	gh := filepath.Join(configs, "gh")
	if dir := env.Value("GH_CONFIG_DIR"); filepath.IsAbs(dir) {
		gh = dir
	}
	return []string{
		at("NETRC", ".netrc"), filepath.Join(gh, "hosts.yml"), filepath.Join(home, ".git-credentials"), filepath.Join(configs, "git", "credentials"),
		filepath.Join(at("XDG_CACHE_HOME", ".cache"), "git", "credential"), filepath.Join(home, ".git-credential-cache"),
	}
}

// gitStores returns the files and sockets that git is configured to keep logins in: helpers called store and cache name them.
func gitStores(home string, env config.Env) (paths []string) {
	const patience = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", "config", "--null", "--get-regexp", `^credential\..*`)
	cmd.Env, cmd.Dir = env.With("HOME", home), home
	out, _ := cmd.Output() // without git there is nothing
	for entry := range strings.SplitSeq(string(out), "\x00") {
		if _, helper, ok := strings.Cut(entry, "\n"); ok {
			paths = append(paths, optionPaths(helper, home)...)
		}
	}
	return paths
}

// optionPaths returns the paths of the options --file and --socket of a credential helper.
func optionPaths(helper, home string) (paths []string) {
	words := strings.Fields(strings.NewReplacer("'", " ", `"`, " ", "=", " ").Replace(helper))
	for i, word := range words {
		if i+1 == len(words) || word != "--file" && word != "--socket" {
			continue
		}
		path := words[i+1]
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(home, rest)
		}
		if filepath.IsAbs(path) {
			paths = append(paths, path)
		}
	}
	return paths
}
