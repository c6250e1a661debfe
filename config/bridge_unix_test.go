//go:build unix

package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"swop/internal/test/testfile"
)

const httpBridge = `kind = "http"
upstream = "https://tracker.example.com/api/"
header = "Authorization: Bearer {token}"
token = { file = "~/.config/tracker.token" }
`

func TestParseBridges(t *testing.T) {
	text := "[bridge.tracker]\n" + httpBridge + "allow = [\"GET /**\", \"POST /issues\"]\n" +
		"[bridge.github]\nkind = \"github\"\nallow = [\"repo:Acme/* write\", \"repo:x/y read\", \"GET /user\"]\n" +
		"[accounts.work.bridge.github]\nkind = \"github\"\ntoken = {host = true}\ngit_upstream = \"http://127.0.0.1:80\"\n"
	s, err := parseSettings(text, "config.toml")
	testfile.NoError(t, err)
	tracker := Bridge{
		Name: "tracker", Kind: "http", Upstream: "https://tracker.example.com/api", Header: "Authorization: Bearer {token}",
		Token: Token{File: "~/.config/tracker.token"},
		Rules: []string{"GET /**", "POST /issues"},
		Allow: []Rule{
			{Text: "GET /**", Method: "GET", Pattern: []string{"**"}},
			{Text: "POST /issues", Method: "POST", Pattern: []string{"issues"}},
		},
	}
	github := Bridge{
		Name: "github", Kind: "github", Host: GitHubHost, Upstream: "https://api.github.com", GitUpstream: "https://github.com",
		Token: Token{Env: "SANDBOX_GH_TOKEN"},
		Rules: []string{"repo:Acme/* write", "repo:x/y read", "GET /user"},
		Allow: []Rule{
			{Text: "repo:Acme/* write", Pattern: []string{"acme", "*"}, Repo: true, Write: true},
			{Text: "repo:x/y read", Pattern: []string{"x", "y"}, Repo: true},
			{Text: "GET /user", Method: "GET", Pattern: []string{"user"}},
		},
	}
	own := Bridge{
		Name: "github", Kind: "github", Host: GitHubHost, Upstream: "https://api.github.com", GitUpstream: "http://127.0.0.1:80",
		Token: Token{Host: true},
	}
	if !slices.Contains(s.TokenVariables(), "GH_TOKEN") {
		t.Errorf("no session is without %q alone", s.TokenVariables())
	}
	if got, want := s.BridgesFor("other", BridgeOpenAI), (Bridges{github, tracker}); !reflect.DeepEqual(got, want) {
		t.Errorf("every account has\n%+v\nwant\n%+v", got, want)
	}
	if got, want := s.BridgesFor("work", BridgeOpenAI), (Bridges{own, tracker}); !reflect.DeepEqual(got, want) {
		t.Errorf("work has\n%+v\nwant\n%+v", got, want)
	}
}

// TestParseGitHub: the host of a server is enough.
func TestParseGitHub(t *testing.T) {
	for _, tt := range []struct{ text, host, api, git string }{
		{"host = \"ghe.example.com\"", "ghe.example.com", "https://ghe.example.com/api/v3", "https://ghe.example.com"},
		{"host = \"acme.ghe.com\"", "acme.ghe.com", "https://api.acme.ghe.com", "https://acme.ghe.com"},
		{"upstream = \"http://127.0.0.1:80/\"", "github.com", "http://127.0.0.1:80", "https://github.com"},
	} {
		s, err := parseSettings("[bridge.x]\nkind = \"github\"\n"+tt.text, "config.toml")
		testfile.NoError(t, err)
		if b := s.Bridges[0]; b.Host != tt.host || b.Upstream != tt.api || b.GitUpstream != tt.git {
			t.Errorf("%s means %q, %q, %q; want %q, %q, %q", tt.text, b.Host, b.Upstream, b.GitUpstream, tt.host, tt.api, tt.git)
		}
	}
}

// TestParseLogin: the account's own login is bridged by a setting, or by a table without a token.
func TestParseLogin(t *testing.T) {
	for _, tt := range []struct{ text, name, upstream string }{
		{"[accounts.ci]\nlogin = \"bridged\"", "openai", "https://api.openai.com/v1"},
		{"[accounts.ci.bridge.model]\nkind = \"openai\"\nupstream = \"http://127.0.0.1:80\"", "model", "http://127.0.0.1:80"},
		{"[bridge.model]\nkind = \"openai\"\n[accounts.ci]\nlogin = \"bridged\"", "model", "https://api.openai.com/v1"},
		{"[bridge.model]\nkind = \"chatgpt\"\n[accounts.ci]\nlogin = \"bridged\"", "model", "https://chatgpt.com/backend-api"},
	} {
		s, err := parseSettings(tt.text+"\n[bridge.other]\n"+httpBridge, "config.toml")
		testfile.NoError(t, err)
		some := s.BridgesFor("ci", BridgeOpenAI)
		own := some[slices.IndexFunc(some, func(b Bridge) bool { return b.Name == tt.name })]
		if len(some) != 2 || own.Upstream != tt.upstream || !own.Token.Login || len(own.Allow) == 0 || !s.HasBridge("ci") {
			t.Errorf("%s: %+v", tt.text, some)
		}
	}
}

func TestParseBridgesRefuses(t *testing.T) {
	without := func(key string) string {
		var lines []string
		for line := range strings.Lines("[bridge.x]\n" + httpBridge) {
			if !strings.HasPrefix(line, key) {
				lines = append(lines, line)
			}
		}
		return strings.Join(lines, "")
	}
	with := func(line string) string {
		key, _, _ := strings.Cut(line, " ")
		return without(key) + line
	}
	for _, tt := range []struct{ text, want string }{
		{"[bridge.x]\n", "bridge.x: kind is missing"},
		{without("upstream"), "bridge.x: upstream is missing"},
		{without("header"), "bridge.x: header is missing"},
		{without("token"), "bridge.x: token is missing"},
		{"[bridge.X]\nkind = \"github\"", "bridge.X: the name of a bridge"},
		{"[bridge.my-keys]\nkind = \"github\"", "bridge.my-keys: codex hides variables with KEY"},
		{"[bridge.commands]\nkind = \"http\"", "bridge.commands.kind: must be a table"},
		{"[bridge.commands]\nUp = {run = [\"/up\"], dir = \"/\"}", "bridge.commands.Up: the name of a command"},
		{"[bridge.commands]\nup = {run = [\"up\"], dir = \"/\"}", "bridge.commands.up: run must begin with the absolute path"},
		{"[bridge.commands]\nup = {run = [\"/up\"]}", "bridge.commands.up: dir is missing"},
		{with("git_upstream = \"https://x\""), "bridge.x: header is for kind http alone; git_upstream, host"},
		{"[bridge.x]\nkind = \"github\"\nheader = \"X: {token}\"", "bridge.x: header is for kind http alone"},
		{with("token = { host = true }"), "bridge.x: header is for kind http alone; git_upstream, host and token.host"},
		{with("token = \"ghp_mine\""), "bridge.x.token: must be a table"},
		{with("token = {}"), "bridge.x.token: must have exactly one of"},
		{with("token = { env = \"X\", file = \"/x\" }"), "bridge.x.token: must have exactly one of"},
		{with("token = { env = \"ghp-mine\" }"), "bridge.x.token.env: is not the name of a variable"},
		{with("token = { file = \"ghp_mine\" }"), "bridge.x.token.file: must be an absolute path"},
		{with("token = { host = false }"), "bridge.x.token: must have exactly one of"},
		{with("upstream = \"http://tracker.example.com\""), "bridge.x.upstream: must begin with https://: a secret goes there"},
		{with("upstream = \"http://127.0.0.1.evil.example\""), "bridge.x.upstream: must begin with https://: a secret"},
		{with("upstream = \"ftp://localhost\""), "bridge.x.upstream: must begin with https://: a secret"},
		{with("upstream = \"https://me:pw@tracker.example.com\""), "bridge.x.upstream: must be https://HOST"},
		{with("upstream = \"https://\""), "bridge.x.upstream: must be https://HOST"},
		{with("upstream = \"https://x/a/../b\""), "bridge.x.upstream: its path"},
		{with("upstream = \"https://x/a?b=c\""), "bridge.x.upstream: its path"},
		{with("header = \"Authorization {token}\""), "bridge.x.header: must be a header"},
		{with("header = \"X: {token}{token}\""), "bridge.x.header: must have {token} once"},
		{with("header = \"X: {token}\\r\\nY: z\""), "bridge.x.header: has a character"},
		{with("allow = [\"get /issues\"]"), `bridge.x: allow: "get /issues" has a method`},
		{with("allow = [\"GET /a/../b\"]"), `bridge.x: allow: "GET /a/../b" has . or ..`},
		{with("allow = [\"GET /a//b\"]"), `bridge.x: allow: "GET /a//b" has //`},
		{with("allow = [\"GET /a%2fb\"]"), `bridge.x: allow: "GET /a%2fb" has a character`},
		{with("allow = [\"GET /a**\"]"), `bridge.x: allow: "GET /a**" has ** inside`},
		{with("allow = [\"repo:acme/x\"]"), `bridge.x: allow: "repo:acme/x" is not a rule`},
		{"[bridge.x]\nkind = \"github\"\nallow = [\"repo:acme*/x\"]", `bridge.x: allow: "repo:acme*/x" must name an owner in full`},
		{"[bridge.x]\nkind = \"github\"\nallow = [\"repo:acme/x/y\"]", `bridge.x: allow: "repo:acme/x/y" must name an owner and`},
		{"[bridge.x]\nkind = \"github\"\nallow = [\"repo:acme/x admin\"]", `bridge.x: allow: "repo:acme/x admin" ends with neither`},
	} {
		if got, err := parseSettings(tt.text, "config.toml"); err == nil || !strings.HasPrefix(err.Error(), "config.toml: "+tt.want) ||
			strings.Contains(err.Error(), "ghp") {
			t.Errorf("%s\n = %+v, %v\nwant %s", tt.text, got, err, tt.want)
		}
	}
}

func TestHostCommands(t *testing.T) {
	s, err := parseSettings("[bridge.commands]\ndeploy = { run = [\"/bin/deploy\", \"now\"], dir = \"/srv\" }\n"+
		"up = { run = [\"/bin/up\"], dir = \"/\" }\n[accounts.work.bridge.commands]\nup = { run = [\"/bin/other\"], dir = \"/\" }\n", "config.toml")
	testfile.NoError(t, err)
	if work := s.CommandsFor("work"); len(work) != 2 || work[0].Run[0] != "/bin/other" || work[1].Name != "deploy" || !s.HasBridge("any") {
		t.Errorf("work has %+v", work)
	}
}
