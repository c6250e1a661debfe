package config

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// The kinds of bridges.
const (
	BridgeHTTP    = "http"    // any service that takes its secret in a header
	BridgeGitHub  = "github"  // gh, and git over https
	BridgeOpenAI  = "openai"  // codex's own requests to the model, with an API key
	BridgeChatGPT = "chatgpt" // codex's own requests to the model and the backend, with the account's ChatGPT login
)

// Where a bridge leads, and where a github bridge has its secret from, if its table says nothing else.
const (
	GitHubHost  = "github.com"
	GitHubToken = "SANDBOX_GH_TOKEN"
	OpenAIAPI   = "https://api.openai.com/v1"
	ChatGPTAPI  = "https://chatgpt.com/backend-api"
)

// ofLogin returns where a bridge for codex's own requests leads, and what it allows, if its table says nothing else: what codex asks for
// (0.29 to 0.169 with a key, 0.92 to 0.169 of the backend, measured; the configuration of a company's workspace by codex's source).
func ofLogin(kind string) (upstream string, rules []string) {
	if kind == BridgeChatGPT {
		return ChatGPTAPI, []string{
			"POST /codex/responses", "POST /codex/responses/compact", "GET /codex/models",
			"GET /wham/accounts/check", "GET /wham/usage", "GET /wham/rate-limit-reset-credits",
			"GET /wham/config/requirements", "GET /wham/config/bundle",
		}
	}
	return OpenAIAPI, []string{"POST /responses", "POST /responses/compact", "POST /chat/completions", "GET /models", "GET /models/*"}
}

// IsLogin reports whether codex's own requests pass the bridge.
func (b *Bridge) IsLogin() bool {
	return b.Kind == BridgeOpenAI || b.Kind == BridgeChatGPT
}

// isOwnLogin reports whether it is the bridge of the account's login, which its setting names and no directory leaves out.
func (b *Bridge) isOwnLogin() bool { return b.Token.Login }

// Bridge is what a table [bridge.NAME] says: a secret that the commands of a session can use and not read.
type Bridge struct {
	Name        string
	Kind        string
	Upstream    string // where the requests go, without a slash at its end
	GitUpstream string // where those of git go; of a github bridge only
	Host        string // by which gh and git know the service; likewise
	Header      string // what is added to each request, with [TokenMark] for the secret; of an http bridge only
	Token       Token
	Allow       []Rule // what it may be used for: nothing if it is empty
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

// fillGitHub fills in what the table of a github bridge leaves out. One of the addresses, or the host, is enough for the others, except for
// an address on this machine, which stands for github.com.
func (b *Bridge) fillGitHub() {
	b.Host = cmp.Or(b.Host, hostOf(b.GitUpstream), strings.TrimPrefix(hostOf(b.Upstream), "api."), GitHubHost)
	api, prefix := APIHost(b.Host)
	b.Upstream, b.GitUpstream = cmp.Or(b.Upstream, "https://"+api+prefix), cmp.Or(b.GitUpstream, "https://"+b.Host)
}

// hostOf returns the host of an address, "" if that is this machine.
func hostOf(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	if isLoopback(host) {
		return ""
	}
	return host
}

// Token says where the secret of a bridge comes from: one of its fields is set.
type Token struct {
	Env     string   // a variable outside of the session
	File    string   // absolute, or below the real home with "~/"
	Command []string // prints it
	Host    bool     // what gh outside of the session uses; of a github bridge only
	Login   bool     // the account's own login, which its sessions do not have then; of an openai bridge only
}

// Bridges are the bridges of an account, sorted by their names.
type Bridges []Bridge

// Named returns the bridge with this name.
func (b Bridges) Named(name string) (Bridge, bool) {
	for i := range b {
		if b[i].Name == name {
			return b[i], true
		}
	}
	return Bridge{}, false
}

// Only returns those of b that are called one of names, and the one of the account's login; all if there are no names. missing is the first
// of them that b does not have.
func (b Bridges) Only(names []string) (some Bridges, missing string) {
	if len(names) == 0 {
		return b, ""
	}
	for _, name := range names {
		if _, ok := b.Named(name); !ok {
			return nil, name
		}
	}
	other := func(one Bridge) bool { return !one.isOwnLogin() && !slices.Contains(names, one.Name) }
	return slices.DeleteFunc(slices.Clone(b), other), ""
}

// hostCommands is the table among the bridges that is none.
const hostCommands = "commands"

// BridgesFor returns the bridges of the account with this key: the general ones, and its own, which replace general ones of the same name.
func (s *Settings) BridgesFor(key string) Bridges {
	a := s.Accounts[key]
	own := a.Bridges
	if len(own) == 0 && a.Login == "" {
		return s.Bridges
	}
	all := append(Bridges{}, own...)
	for _, b := range s.Bridges {
		if _, replaced := own.Named(b.Name); !replaced {
			all = append(all, b)
		}
	}
	if a.Login == LoginBridged && !slices.ContainsFunc(all, func(b Bridge) bool { return b.IsLogin() }) {
		all = append(all, LoginBridge(BridgeOpenAI))
	}
	return all
}

// With returns the settings with others for the account with this key.
func (s Settings) With(key string, a AccountSettings) Settings {
	all := map[string]AccountSettings{key: a}
	for other, settings := range s.Accounts {
		if other != key {
			all[other] = settings
		}
	}
	s.Accounts = all
	return s
}

// LoginBridge is the bridge of this kind, openai or chatgpt, for an account's own login.
func LoginBridge(kind string) Bridge {
	upstream, rules := ofLogin(kind)
	b := Bridge{Name: kind, Kind: kind, Upstream: upstream, Token: Token{Login: true}}
	for _, text := range rules {
		rule, _ := ParseRule(b.Kind, text) // they are good ones
		b.Allow = append(b.Allow, rule)
	}
	return b
}

// ForChatGPT returns the bridges of an account whose login is one of ChatGPT: login = "bridged" means that then, and not an API key.
func (b Bridges) ForChatGPT() Bridges {
	all := slices.Clone(b)
	for i := range all {
		if own := all[i]; own.Kind == BridgeOpenAI && own.Name == BridgeOpenAI && own.Token.Login && own.Upstream == OpenAIAPI {
			all[i] = LoginBridge(BridgeChatGPT)
		}
	}
	return all
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
			names = append(names, GitHubToken)
		}
	}
	return names
}
