package main

import (
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/test/testhome"
	"swop/manager/verb"
)

// planted is in every secret that is planted, and nowhere else.
const planted = "s3cr3tmark"

// jwt is an id token. Its payload and signature are marked, but its claims are for display.
func jwt(claims string) string {
	return "eyJhbGciOiJub25lIn0." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + "." + planted + "-signature"
}

var idToken = jwt(`{"email":"me@example.org","jti":"` + planted +
	`-jti","https://api.openai.com/auth":{"chatgpt_plan_type":"pro","chatgpt_account_id":"` + planted + `-account"}}`)

// chatgpt is an auth.json with every token.
var chatgpt = `{"auth_mode":"chatgpt","OPENAI_API_KEY":"sk-` + planted + `-unused","tokens":{"id_token":"` + idToken +
	`","access_token":"` +
	planted + `-access","refresh_token":"` + planted + `-refresh","account_id":"` + planted + `-id"},"last_refresh":"2026-07-01T10:00:00Z"}`

// logins are the auth.json of the accounts, by key: whole ones, and what a crash or an editor makes of them.
var logins = map[string]string{
	"key":    `{"OPENAI_API_KEY":"sk-` + planted + `"}`,
	"chat":   chatgpt,
	"cut":    chatgpt[:len(chatgpt)-60],
	"quotes": `{"OPENAI_API_KEY":sk-` + planted + `}`,
	"number": `{"OPENAI_API_KEY":{"` + planted + `":12}}`,
	"claims": strings.Replace(chatgpt, idToken, jwt(`{"email":{"`+planted+`":"x"}}`), 1),
}

// codexConfig is a config.toml of codex with the secrets that people put there.
const codexConfig = `model_provider = "mine"
[model_providers.mine]
name = "mine"
experimental_bearer_token = "` + planted + `-bearer"
http_headers = { Authorization = "Bearer ` + planted + `" }
[mcp_servers.x]
command = "true"
env = { TOKEN = "` + planted + `" }
`

// ownVariables are the caller's; they go to every program as they are.
var ownVariables = []string{"OPENAI_API_KEY=sk-" + planted + "-1", "CODEX_API_KEY=sk-" + planted + "-2", "CODEX_ACCESS_TOKEN=" + planted +
	"-3"}

// damages are what is wrong with the files that a verb reads, the secret beside it, by file, relative to the home.
var damages = map[string]string{
	"":                             "",
	".codex/config.toml":           codexConfig + "bad = " + planted + "\nforced_login_method = " + planted + "\n",
	".config/swop/config.toml":     "launch = \"native\"\ntoken = " + planted + "\n",
	".config/swop/selector.toml":   chatgpt,
	".swop/accounts/key/meta.json": logins["cut"],
	".swop/root.json":              chatgpt,
}

// secretCalls are calls of each verb of the command tree, and of codex itself: "". A new verb is to be added here.
var secretCalls = map[string][]string{
	"": {
		"codex", "codex exec hi", "codex login", "codex login status", "codex logout", "codex update",
		"SWOP_ACCOUNT=chat codex exec hi", "SWOP_ACCOUNT=cut codex exec hi", "SWOP_ACCOUNT=new codex exec hi", "SWOP_BYPASS=1 codex",
		"SWOP_ACCOUNT=claims codex -c forced_chatgpt_workspace_id=w exec hi",
	},
	"add": {
		"swop add key --no-login", "swop add new --with-api-key", "swop add new --import @/login/auth.json", "swop add new --import @/login/bad.json",
		"swop add new --from @/login", "CODEX_FAKE_EXIT=1 swop add new --device-auth", "swop add", "swop add new --state odd",
	},
	"list":       {"swop list", "swop list --json"},
	"usage":      {"swop usage", "swop usage --json", "swop usage chat --cached", "swop usage key --timeout 1s"},
	"next":       {"swop next", "SWOP_ACCOUNT=chat swop next", "SWOP_ACCOUNT=key swop next"},
	"exec":       {"swop exec -- hi", "SWOP_ACCOUNT=chat CODEX_FAKE_EXIT=1 swop exec --at-limit next -- hi", "SWOP_ACCOUNT=key swop exec --at-limit wait -- --json hi"},
	"sessions":   {"swop sessions", "swop sessions --all --json"},
	"resume":     {"swop resume --last", "swop resume none-such", "swop resume", "swop resume --last --as cut"},
	"use":        {"swop use auto", "swop use chat", "swop use none-such", "swop use none", "swop use"},
	"bind":       {"swop bind chat @/dir"},
	"unbind":     {"swop unbind @/dir"},
	"ask":        {"swop ask --write /tmp", "swop ask --connect example.com:443 -- true"},
	"allow":      {"swop allow chat", "swop allow /tmp --for 1m"},
	"deny":       {"swop deny chat", "swop deny k3fa7q"},
	"confine":    {"swop confine", "swop confine --json", "SWOP_CONFINE=read-only SWOP_ACCOUNT=chat swop confine"},
	"which":      {"swop which", "swop which --json", "swop which --short", "SWOP_ACCOUNT=cut swop which"},
	"remove":     {"swop remove key", "swop remove key --yes", "swop remove cut --yes", "swop remove agent --yes", "swop remove chat --yes"},
	"rename":     {"swop rename key other", "swop rename cut other"},
	"login":      {"swop login key --with-api-key", "swop login key --with-api-key --yes", "CODEX_FAKE_EXIT=3 swop login chat"},
	"logout":     {"swop logout chat", "swop logout chat --yes", "swop logout cut --yes"},
	"run":        {"swop run chat -- true", "swop run cut -- false", "swop run chat -- none-such"},
	"history":    {"swop history", "swop history --json", "swop history @/home/.codex/.credentials.json"},
	"doctor":     {"swop doctor", "swop doctor --json", "swop doctor --fix", "swop doctor --shared-home @/dir"},
	"install":    {"swop install --prefix @/prefix --yes", "swop install --prefix @/login/auth.json --yes"},
	"uninstall":  {"swop uninstall --yes", "swop uninstall --purge", "swop uninstall --purge --yes"},
	"version":    {"swop version"},
	"help":       {"swop help", "swop help add", "swop nonsense"},
	"completion": {"swop completion bash", "swop completion zsh", "swop completion fish", "swop __complete use ''", "swop __complete run cut"},
	"bridge":     {"swop bridge", "swop bridge --json"},

	"sandbox": {"swop sandbox --account key -- true", "swop sandbox --account cut --json -- true"},
}

// Each verb has its calls above, so that the next one that is made has too.
func TestSecretVerbs(t *testing.T) {
	a := &verb.Call{Environ: config.Env{}}
	root := root(a)
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		if len(secretCalls[cmd.Name()]) == 0 {
			t.Errorf("the verb %q is not in the table of calls: whether it shows a secret is not tested", cmd.Name())
		}
	}
}

// secretPlace is a home with accounts and secrets, which is set up again for each call.
type secretPlace struct {
	*testing.T
	base, home, bin string
	start           string // what is there before each call
}

func TestMain(m *testing.M) {
	os.Exit(testhome.Suite{Tests: m, Programs: []string{"strace"}}.Run())
}

// TestSecrets makes all of the calls, with -short every sixth, and, if what repeats is tried, the first of each verb beside each damage. No
// secret comes to stdout, stderr, a new file, or the arguments and variables of a program that is started.
func TestSecrets(t *testing.T) {
	testhome.Needs(t, "strace")
	p := newSecretPlace(t)
	made := 0
	next, step := testhome.Points(t, 6)
	for _, damage := range slices.Sorted(maps.Keys(damages)) {
		for _, name := range slices.Sorted(maps.Keys(secretCalls)) {
			for i, call := range secretCalls[name] {
				if damage != "" && (i > 0 || !testhome.Repeats()) {
					break
				}
				if made++; made-1 == next {
					next += step
					p.call(damage, call)
				}
			}
		}
	}
	for i := range 3 { // the search finds what it is to find
		text := strings.Repeat("y", i) + planted + "-signature"
		if !hasMark(text) || !hasMark(base64.StdEncoding.EncodeToString([]byte(text))) || !hasMark(fmt.Sprintf("%x", text)) {
			t.Errorf("%q is not found", text)
		}
	}
}
