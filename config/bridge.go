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

// Where a bridge leads, and where a github bridge has its secret from, if its table says nothing else.
const (
	GitHubHost  = "github.com"
	githubToken = "SANDBOX_GH_TOKEN"
	openAIAPI   = "https://api.openai.com/v1"
	chatGPTAPI  = "https://chatgpt.com/backend-api"
)

// ofLogin returns where a bridge for codex's own requests leads, and what it allows, if its table says nothing else: what codex asks for
// (0.29 to 0.169 with a key, 0.92 to 0.169 of the backend, measured; the configuration of a company's workspace by codex's source).
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

// Bridge is what a table [bridge.NAME] says: a secret that the commands of a session can use and not read.
type Bridge struct {
	Name        string
	Kind        string   `toml:"kind" is:"http|github|openai|chatgpt" needed:""`
	Upstream    string   `toml:"upstream" is:"upstream"`     // where the requests go, without a slash at its end
	GitUpstream string   `toml:"git_upstream" is:"upstream"` // where those of git go; of a github bridge only
	Host        string   `toml:"host" is:"host"`             // by which gh and git know the service; likewise
	Header      string   `toml:"header" is:"header"`         // of an http bridge only: added to each request, with [TokenMark] for the secret
	Token       Token    `toml:"token"`
	Rules       []string `toml:"allow"`
	Allow       []Rule   // what it may be used for, as Rules say: nothing if it is empty
}

// TokenMark stands for the secret in a header.
const TokenMark = "{token}"

// EnterpriseAPI is what the paths of GitHub's REST interface begin with on a server of one's own.
const EnterpriseAPI = "/api/v3"

// APIHost returns the host by which gh knows the REST interface of the GitHub that it knows by this host, and what the paths there begin
// with.
func APIHost(host string) (api, prefix string) {
	if host == GitHubHost || strings.HasSuffix(host, ".ghe.com") {
		return "api." + host, ""
	}
	return host, EnterpriseAPI
}

// Token says where the secret of a bridge comes from: one of its fields is set.
type Token struct {
	Env     string   `toml:"env" is:"variable"` // a variable outside of the session
	File    string   `toml:"file" is:"path"`    // absolute, or below the real home with "~/"
	Command []string `toml:"command"`           // prints it
	Host    bool     `toml:"host"`              // what gh outside of the session uses; of a github bridge only
	Login   bool     // the account's own login, which its sessions do not have then; of an openai bridge only
}

// Beside is what runs beside sessions: the tables [bridge.NAME], and [bridge.commands].
type Beside struct {
	Bridges  Bridges
	Commands []HostCommand
}

// Bridges are the bridges of an account, sorted by their names.
type Bridges []Bridge

// BridgesFor returns the bridges of the account with this key, whose own login needs a bridge of this kind, openai or chatgpt, where it is
// bridged.
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

// withOwn returns what an account has of its own, and the general ones of other names.
func withOwn[T any](general, own []T, name func(T) string) []T {
	replaced := func(one T) bool { return slices.ContainsFunc(own, func(o T) bool { return name(o) == name(one) }) }
	return slices.Concat(own, slices.DeleteFunc(slices.Clone(general), replaced))
}

// TokenFiles returns the files that hold the secrets of bridges, for a user with this home.
func (b Bridges) TokenFiles(home string) (files []string) {
	for i := range b {
		if file := b[i].Token.File; file != "" {
			files = append(files, InHome(home, file))
		}
	}
	return files
}

// InHome returns the path that is meant by one that may begin with "~/".
func InHome(home, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return path
}

// TokenVariables returns the names of the variables that hold the secrets of any account's bridges: no session has them.
func (s *Settings) TokenVariables() []string {
	names := s.Bridges.variables(nil)
	for _, a := range s.Accounts {
		names = a.Bridges.variables(names)
	}
	return names
}

func (b Bridges) variables(names []string) []string {
	for i := range b {
		if name := b[i].Token.Env; name != "" {
			names = append(names, name)
		}
		if b[i].Kind == BridgeGitHub { // also where another variable has the token
			names = append(names, githubToken)
		}
	}
	return names
}
