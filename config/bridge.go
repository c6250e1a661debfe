package config

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// The kinds of bridges.
const (
	BridgeHTTP   = "http"   // any service that takes its secret in a header
	BridgeGitHub = "github" // gh, and git over https
	BridgeOpenAI = "openai" // codex's own requests to the model
)

// Where a bridge leads, and where a github bridge has its secret from, if its table says nothing else.
const (
	GitHubHost  = "github.com"
	GitHubToken = "SANDBOX_GH_TOKEN"
	OpenAIAPI   = "https://api.openai.com/v1"
)

// openAIRules are what codex asks for (0.29 to 0.169, measured), and what an openai bridge allows if its table says nothing else.
func openAIRules() []string {
	return []string{"POST /responses", "POST /responses/compact", "POST /chat/completions", "GET /models", "GET /models/*"}
}

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

// APIHost returns the host by which gh knows the REST interface of the GitHub that it knows by this host, and what the paths there begin with.
func APIHost(host string) (api, prefix string) {
	if host == GitHubHost || strings.HasSuffix(host, ".ghe.com") {
		return "api." + host, ""
	}
	return host, EnterpriseAPI
}

// fillGitHub fills in what the table of a github bridge leaves out. One of the addresses, or the host, is enough for the others, but for an
// address on this machine, which stands for github.com.
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

// Only returns those of b that are called one of names, and the one of the account's login; all if there are no names. missing is the first of them that b does not have.
func (b Bridges) Only(names []string) (some Bridges, missing string) {
	if len(names) == 0 {
		return b, ""
	}
	for _, name := range names {
		one, ok := b.Named(name)
		if !ok {
			return nil, name
		}
		if !one.Token.Login {
			some = append(some, one)
		}
	}
	for i := range b { // which takes the login's place
		if b[i].Token.Login {
			some = append(some, b[i])
		}
	}
	return some, ""
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
	if a.Login == LoginBridged && !slices.ContainsFunc(all, func(b Bridge) bool { return b.Kind == BridgeOpenAI }) {
		all = append(all, loginBridge())
	}
	return all
}

// loginBridge is the bridge for an account's own API key.
func loginBridge() Bridge {
	b := Bridge{Name: BridgeOpenAI, Kind: BridgeOpenAI, Upstream: OpenAIAPI, Token: Token{Login: true}}
	for _, text := range openAIRules() {
		rule, _ := ParseRule(b.Kind, text) // they are good ones
		b.Allow = append(b.Allow, rule)
	}
	return b
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
	}
	return names
}

// bridges reads a table of bridges by name, and the host commands in it.
func (v value) bridges(list *Bridges, commands *[]HostCommand) error {
	return v.each(func(name string, of value) error {
		if name == hostCommands {
			return into(commands, value.commands)(of)
		}
		if defect := badBridgeName(name); defect != "" {
			return of.fail("%s", defect)
		}
		b, err := of.bridge(name)
		*list = append(*list, b)
		return err
	})
}

const maxBridgeName = 32

// filtered are words that codex takes for signs of a secret in the name of a variable: its commands would not get it.
var filtered = [...]string{"key", "secret", "token"}

// badBridgeName says what is wrong with the name of a bridge, which becomes part of a file's and of a variable's.
func badBridgeName(name string) string {
	switch {
	case name == "" || len(name) > maxBridgeName || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
		return "the name of a bridge consists of a to z, 0 to 9 and -, 32 at most"
	}
	for _, word := range filtered {
		if strings.Contains(name, word) {
			return "codex hides variables with " + strings.ToUpper(word) + " in their name from its commands; choose a name without it"
		}
	}
	return ""
}

// bridge reads the keys of [bridge.NAME].
func (v value) bridge(name string) (Bridge, error) {
	b := Bridge{Name: name}
	var allow []string
	err := v.fields(
		field{"allow", into(&allow, listOf(value.text))},
		field{"git_upstream", into(&b.GitUpstream, value.upstream)},
		field{"header", into(&b.Header, value.header)},
		field{"host", into(&b.Host, value.hostName)},
		field{"kind", into(&b.Kind, oneOf(BridgeHTTP, BridgeGitHub, BridgeOpenAI))},
		field{"token", into(&b.Token, value.token)},
		field{"upstream", into(&b.Upstream, value.upstream)},
	)
	if err != nil {
		return b, err
	}
	if err := v.complete(&b); err != nil {
		return b, err
	}
	if b.Kind == BridgeOpenAI && allow == nil {
		allow = openAIRules()
	}
	b.Allow, err = v.child("allow", nil).rules(b.Kind, allow)
	return b, err
}

// complete fills in what a bridge of its kind has, and refuses what it cannot have, or needs and does not have.
func (v value) complete(b *Bridge) error {
	github := b.Kind == BridgeGitHub
	if github {
		b.fillGitHub()
		if b.Token.isZero() {
			b.Token.Env = GitHubToken
		}
	}
	if b.Kind == BridgeOpenAI {
		b.Upstream, b.Token.Login = cmp.Or(b.Upstream, OpenAIAPI), b.Token.isZero()
	}
	for _, key := range [...]struct {
		name           string
		absent, needed bool
	}{
		{"kind", b.Kind == "", true},
		{"upstream", b.Upstream == "", true},
		{"token", b.Token.isZero(), true},
		{"token.host", !b.Token.Host, b.Token.Host && github},
		{"header", b.Header == "", b.Kind == BridgeHTTP},
		{"git_upstream", b.GitUpstream == "", github},
		{"host", b.Host == "", github},
	} {
		switch {
		case key.absent && key.needed:
			return v.fail("%s is missing", key.name)
		case !key.absent && !key.needed:
			return v.fail("%s is not for a bridge of this kind", key.name)
		}
	}
	return nil
}

func (t *Token) isZero() bool {
	return t.Env == "" && t.File == "" && len(t.Command) == 0 && !t.Host && !t.Login
}

// token reads where a secret comes from. A message never repeats a value: the secret itself may have been put there.
func (v value) token() (t Token, err error) {
	given := 0
	one := func(read func(value) error) func(value) error {
		return func(v value) error {
			given++
			return read(v)
		}
	}
	err = v.fields(
		field{"command", one(into(&t.Command, value.command))},
		field{"env", one(into(&t.Env, value.variable))},
		field{"file", one(into(&t.File, value.tokenFile))},
		field{"host", one(into(&t.Host, value.yes))},
	)
	if err == nil && given != 1 {
		err = v.fail("must have exactly one of: command, env, file, host")
	}
	return t, err
}

// yes reads true. What is not wanted is left out.
func (v value) yes() (bool, error) {
	yes, ok := v.any.(bool)
	switch {
	case !ok:
		return false, v.mustBe("true")
	case !yes:
		return false, v.fail("must be true, or the key removed")
	}
	return true, nil
}

// variable reads the name of an environment variable.
func (v value) variable() (string, error) {
	s, err := v.text()
	if err == nil && (strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" || s[0] <= '9') {
		err = v.fail("is not the name of a variable: A to Z, 0 to 9 and _, not a digit first")
	}
	return s, err
}

// tokenFile reads a path that is absolute, or below the home with "~/".
func (v value) tokenFile() (string, error) {
	s, err := v.text()
	if err == nil && !filepath.IsAbs(s) && !strings.HasPrefix(s, "~/") {
		err = v.fail("must be an absolute path, or begin with ~/")
	}
	return s, err
}

// command reads a program and its arguments.
func (v value) command() ([]string, error) {
	words, err := listOf(value.text)(v)
	if err == nil && len(words) == 0 {
		err = v.fail("is empty; it needs a program")
	}
	return words, err
}

// ownHeaders are headers that say something about the connection or the message: a secret in one of them would break the request.
var ownHeaders = [...]string{
	"connection", "content-encoding", "content-length", "content-type", "expect", "host", "keep-alive", "proxy-authenticate",
	"proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
}

// header reads "Name: value" with one {token} in the value.
func (v value) header() (string, error) {
	s, err := v.text()
	if err != nil {
		return "", err
	}
	name, text, ok := strings.Cut(s, ": ")
	switch {
	case !ok || name == "" || !isHeaderName(name):
		return "", v.fail("must be a header: NAME: VALUE")
	case strings.Count(text, TokenMark) != 1:
		return "", v.fail("must have %s once in its value", TokenMark)
	case !isPrintable(text) || strings.ContainsRune(text, '\t'):
		return "", v.fail("has a character that no header may have")
	}
	for _, own := range ownHeaders {
		if strings.EqualFold(name, own) {
			return "", v.fail("%s cannot carry a secret", name)
		}
	}
	return s, nil
}

func isHeaderName(name string) bool {
	for i := range len(name) {
		c := name[i] | 0x20
		if (c < 'a' || c > 'z') && (name[i] < '0' || name[i] > '9') && name[i] != '-' {
			return false
		}
	}
	return true
}

// upstream reads the address of a service, and returns it without a slash at its end. It is https, since a secret goes there; http only to
// this machine.
func (v value) upstream() (string, error) {
	s, err := v.text()
	if err != nil {
		return "", err
	}
	scheme, rest, ok := strings.Cut(s, "://")
	host, path, _ := strings.Cut(strings.TrimRight(rest, "/"), "/")
	switch {
	case !ok || scheme != "https" && scheme != "http":
		return "", v.fail("must begin with https://")
	case !isHost(host):
		return "", v.fail("must have a host, with a port or not, and neither a user nor a password")
	case scheme == "http" && !isLoopback(host):
		return "", v.fail("must begin with https://: a secret goes there, and without it everyone on the way can read it")
	}
	if path = "/" + path; path == "/" {
		return scheme + "://" + host, nil
	}
	if _, defect := SplitPattern(path); defect != "" || strings.ContainsRune(path, '*') {
		return "", v.fail("its path must consist of names, without . or .., *, %% or ?")
	}
	return scheme + "://" + host + path, nil
}

// hostName reads the name of a host, with a port or not.
func (v value) hostName() (string, error) {
	s, err := v.text()
	if err == nil && !isHost(s) {
		err = v.fail("must be a host, such as github.example.com")
	}
	return s, err
}

func isHost(host string) bool {
	for i := range len(host) {
		c := host[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' && c != ':' && c != '[' && c != ']' {
			return false
		}
	}
	return host != "" && host[0] != ':'
}

func isLoopback(host string) bool {
	for _, name := range [...]string{"127.0.0.1", "[::1]", "localhost"} {
		if rest, ok := strings.CutPrefix(host, name); ok && (rest == "" || rest[0] == ':') {
			return true
		}
	}
	return false
}
