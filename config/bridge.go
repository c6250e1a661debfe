package config

import (
	"path/filepath"
	"slices"
	"strings"
)

// The kinds of bridges.
const (
	bridgeHTTP    = "http"    // any service that takes its secret in a header
	BridgeGitHub  = "github"  // gh, and git over https
	BridgeOpenAI  = "openai"  // codex's own requests to the model, with an API key
	BridgeChatGPT = "chatgpt" // codex's own requests to the model and the backend, with the account's ChatGPT login
)

// The defaults of a table [bridge.NAME].
const (
	GitHubHost  = "github.com"
	githubToken = "SANDBOX_GH_TOKEN"
	openAIAPI   = "https://api.openai.com/v1"
	chatGPTAPI  = "https://chatgpt.com/backend-api"
)

// ofLogin returns the default upstream and rules of a bridge for codex's own requests: all that codex asks for (with an API key 0.29 to
// 0.169, of the backend 0.92 to 0.169, measured; the configuration of a company's workspace by codex's source).
func ofLogin(kind string) (upstream string, rules []string) {
	if kind == BridgeChatGPT {
		return chatGPTAPI, []string{
			"POST /codex/responses", "POST /codex/responses/compact", "GET /codex/models",
			"GET /wham/usage", "GET /wham/rate-limit-reset-credits",
			"GET /wham/config/requirements", "GET /wham/config/bundle",
		}
	}
	return openAIAPI, []string{"POST /responses", "POST /responses/compact", "POST /chat/completions", "GET /models", "GET /models/*"}
}

// IsLogin reports whether codex's own requests pass the bridge.
func (b *Bridge) IsLogin() bool {
	return b.Kind == BridgeOpenAI || b.Kind == BridgeChatGPT
}

// Bridge is a table [bridge.NAME]: a secret that the commands of a session can use and not read.
type Bridge struct {
	Name        string
	Kind        string   `toml:"kind" is:"http|github|openai|chatgpt" needed:""`
	Upstream    string   `toml:"upstream" is:"upstream"`     // the address of the service, without a slash at its end
	GitUpstream string   `toml:"git_upstream" is:"upstream"` // the address for git; of a github bridge only
	Host        string   `toml:"host" is:"host"`             // the name of the service in gh and git; of a github bridge only
	Header      string   `toml:"header" is:"header"`         // added to each request, with [TokenMark] for the secret; of an http bridge only
	Token       Token    `toml:"token"`
	Rules       []string `toml:"allow"`
	Allow       []Rule   // Rules, parsed: the requests that may pass, none if it is empty
}

// TokenMark stands for the secret in a header.
const TokenMark = "{token}"

// EnterpriseAPI is the beginning of each path of GitHub's REST interface on a server of GitHub Enterprise.
const EnterpriseAPI = "/api/v3"

// APIHost returns the host of the REST interface that gh uses for a GitHub host, and the beginning of each path there.
func APIHost(host string) (api, prefix string) {
	if host == GitHubHost || strings.HasSuffix(host, ".ghe.com") {
		return "api." + host, ""
	}
	return host, EnterpriseAPI
}

// Token is the source of a bridge's secret: exactly one of its fields is set.
type Token struct {
	Env     string   `toml:"env" is:"variable"` // a variable outside of the session
	File    string   `toml:"file" is:"path"`    // absolute, or below the real home with "~/"
	Command []string `toml:"command"`           // a program that prints the secret, and its arguments
	Host    bool     `toml:"host"`              // the token that gh uses outside of the session; of a github bridge only
	Login   bool     // the account's own login, which its sessions then lack; of a bridge for codex's requests only
}

// Beside are the tables [bridge.NAME] and [bridge.commands]: swop serves both beside a session.
type Beside struct {
	Bridges  Bridges
	Commands []HostCommand
}

// Bridges are the bridges of an account, sorted by their names.
type Bridges []Bridge

// BridgesFor returns the bridges of the account with this key. A bridged login without a table of its own gets a bridge of this kind,
// openai or chatgpt.
func (s *Settings) BridgesFor(key, kind string) Bridges {
	own := s.Accounts[key]
	all := Bridges(withOwn(s.Bridges, own.Bridges, func(b Bridge) string { return b.Name }))
	if own.Login != "" && !slices.ContainsFunc(all, func(b Bridge) bool { return b.IsLogin() }) {
		b := Bridge{Name: kind, Kind: kind}
		_ = b.check(value{}) // its defaults are good
		all = append(all, b)
	}
	return all
}

// CommandsFor returns the host commands of the account with this key.
func (s *Settings) CommandsFor(key string) []HostCommand {
	return withOwn(s.Commands, s.Accounts[key].Commands, func(c HostCommand) string { return c.Name })
}

// withOwn returns the account's own elements, and the general elements of other names.
func withOwn[T any](general, own []T, name func(T) string) []T {
	replaced := func(one T) bool { return slices.ContainsFunc(own, func(o T) bool { return name(o) == name(one) }) }
	return slices.Concat(own, slices.DeleteFunc(slices.Clone(general), replaced))
}

// ofAll returns the bridges of all accounts.
func (s *Settings) ofAll() Bridges {
	all := slices.Clone(s.Bridges)
	for _, a := range s.Accounts {
		all = append(all, a.Bridges...)
	}
	return all
}

// TokenFiles returns the files that hold the secrets of any account's bridges, for a user with this home: no session sees them.
func (s *Settings) TokenFiles(home string) (files []string) {
	for _, b := range s.ofAll() {
		if b.Token.File != "" {
			files = append(files, InHome(home, b.Token.File))
		}
	}
	return files
}

// InHome returns the path, with home in the place of a "~" at its beginning.
func InHome(home, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return path
}

// TokenVariables returns the names of the variables that hold the secrets of any account's bridges: no session has them.
func (s *Settings) TokenVariables() (names []string) {
	all := s.ofAll()
	for i := range all {
		if name := all[i].Token.Env; name != "" {
			names = append(names, name)
		}
		if all[i].Token.Host {
			names = append(names, "GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN")
		}
		if all[i].Kind == BridgeGitHub { // also where another variable has the token
			names = append(names, githubToken)
		}
	}
	return names
}
