//go:build unix

package bridge

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"swop/config"
	"swop/internal/bridge/github"
)

// openGit opens the way of git, and writes the configurations that lead gh and git to the bridge. git can use a proxy only by TCP, which
// other programs reach: the session's requests have a header with a secret.
func (s *Session) openGit(socket *way) error {
	base, err := url.Parse(socket.GitUpstream)
	if err != nil {
		return err
	}
	g := *socket
	g.base = base
	g.credential = func(token string) (string, string) {
		r := http.Request{Header: http.Header{}}
		r.SetBasicAuth("x-access-token", token)
		return "Authorization", r.Header.Get("Authorization")
	}
	g.judge, g.prefix = github.JudgeGit, "http://"+g.Host
	g.header, g.proof = sessionHeader, rand.Text()
	g.stranger = "only git in a session of codex may use this port"
	s.github = &g
	if err := s.lead(&g, &g, 1); err != nil {
		return err
	}
	return g.configure(s.directory, s.options.Env)
}

// gitSystem returns the files of git's own system configuration, which the session's configuration includes.
func gitSystem(env config.Env) []string {
	if file := env.Value("GIT_CONFIG_SYSTEM"); file != "" {
		return []string{file}
	}
	switch env.Value("GIT_CONFIG_NOSYSTEM") {
	case "", "0", "false", "no", "off":
		return []string{"/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig"} // git passes over missing files
	}
	return nil
}

// The fixed lines of gh's configuration.
const (
	ghConfig = "version: \"1\"\ngit_protocol: https\nprompt: disabled\n"
	ghHost   = "    user: x-access-token\n    git_protocol: https\n"
)

// configure writes the files that lead gh and git to the bridge. No file of the user's changes, and the remotes of repositories stay.
func (g *way) configure(p Directory, env config.Env) error {
	var b strings.Builder
	for _, file := range gitSystem(env) {
		fmt.Fprintf(&b, "[include]\n\tpath = %s\n", gitQuote(file))
	}
	fmt.Fprintf(&b, "[url \"http://%s/\"]\n", g.Host)
	for _, key := range []string{"insteadOf", "pushInsteadOf"} {
		for _, form := range []string{"https://%s/", "git@%s:", "ssh://git@%s/"} {
			fmt.Fprintf(&b, "\t%s = "+form+"\n", key, g.Host)
		}
	}
	fmt.Fprintf(&b, "[http \"http://%s/\"]\n\tproxy = http://127.0.0.1:%d\n", g.Host, g.ports[0])
	fmt.Fprintf(&b, "\textraHeader = %s: %s\n", sessionHeader, g.proof)
	gh := filepath.Join(p.Path, ghDir)
	if err := os.Mkdir(gh, 0o700); err != nil {
		return err
	}
	socket := p.socket(g.Name)
	for file, text := range map[string]string{
		filepath.Join(p.Path, gitFile):  b.String(),
		filepath.Join(gh, "config.yml"): ghConfig + "http_unix_socket: '" + strings.ReplaceAll(socket, "'", "''") + "'\n",
		filepath.Join(gh, "hosts.yml"):  fmt.Sprintf("%s:\n    oauth_token: %s\n%s", g.Host, placeholder, ghHost),
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// The files of a session that lead gh and git.
const (
	ghDir       = "gh"
	gitFile     = "gitconfig"
	placeholder = "the-bridge-adds-the-token"
)

func gitQuote(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}

// hidden are variables that would lead gh and git past the bridge.
var hidden = []string{"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GH_HOST", "GIT_CONFIG_NOSYSTEM"}

// gitEnv leads gh and git of a session to the bridge.
func gitEnv(env config.Env, p Directory) config.Env {
	env = env.Without(hidden...).With("GH_CONFIG_DIR", filepath.Join(p.Path, ghDir))
	return env.With("GIT_CONFIG_SYSTEM", filepath.Join(p.Path, gitFile)).With("GH_NO_UPDATE_NOTIFIER", "1")
}

// hostToken returns the source of the token that gh would use for the host, outside of the session.
func hostToken(env config.Env, host string) config.Token {
	names := []string{"GH_TOKEN", "GITHUB_TOKEN"}
	command := []string{"gh", "auth", "token"}
	if _, prefix := config.APIHost(host); prefix != "" {
		names = []string{"GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"}
	}
	if host != config.GitHubHost {
		command = append(command, "--hostname", host)
	}
	for _, name := range names {
		if env.Value(name) != "" {
			return config.Token{Env: name}
		}
	}
	return config.Token{Command: command}
}
