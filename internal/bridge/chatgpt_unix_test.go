//go:build unix

package bridge

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/account/login"
	"swop/internal/test/testhome"
)

// chatGPTToken is an access token of the account "acct", valid until 2100.
func chatGPTToken(name string) string {
	payload := fmt.Sprintf(`{"jti":%q,"exp":4102444800,"https://api.openai.com/auth":{"chatgpt_account_id":"acct"}}`, name)
	return "e30." + base64.RawURLEncoding.EncodeToString([]byte(payload)) + ".c2VjcmV0"
}

// openChatGPT opens the bridge of a ChatGPT login to upstream, which is asked below /backend-api.
func openChatGPT(t *testing.T, upstream string, change func(*config.Bridge)) *Session {
	b := config.Bridge{
		Name: "chatgpt", Kind: config.BridgeChatGPT, Upstream: upstream + "/backend-api", Token: config.Token{Login: true},
		Allow: testhome.Rules(t, config.BridgeChatGPT, "POST /codex/responses", "GET /codex/models"),
	}
	if change != nil {
		change(&b)
	}
	return open(t, func(o *Options) {
		o.Label, o.Sandbox, o.AuthFile = "work", o.Home, filepath.Join(o.Home, "auth.json")
		logIn(t, o.AuthFile, "secret")
	}, b)
}

// logIn gives the account a login with the token of that name.
func logIn(t *testing.T, file, name string) {
	text := fmt.Sprintf(`{"tokens":{"access_token":%q,"refresh_token":"rt-secret"}}`, chatGPTToken(name))
	testhome.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

// ask sends a request as codex does, changed by change, to the nth port.
func (s *Session) ask(t *testing.T, port int, method, path, body string, change func(*http.Request)) answer {
	t.Helper()
	a, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(s.request(t, port, method, path, body, change))
	return read1(t, a, err)
}

func (s *Session) request(t *testing.T, port int, method, path, body string, change func(*http.Request)) *http.Request {
	t.Helper()
	r, err := http.NewRequest(method, fmt.Sprintf("http://127.0.0.1:%d%s", s.login.ports[port], path), strings.NewReader(body))
	testhome.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+s.login.proof)
	r.Header.Set("Chatgpt-Account-Id", "acct")
	if change != nil {
		change(r)
	}
	return r
}

// TestChatGPT: what a session may ask for, and what of it the account's own login is used for.
func TestChatGPT(t *testing.T) {
	up := newService(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "seen "+r.Header.Get("Authorization"))
	})
	s := openChatGPT(t, up.URL, nil)
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for _, tt := range []struct {
		name, method, path string
		change             func(*http.Request)
		want               int
	}{
		{"the model", "POST", "/backend-api/codex/responses", nil, 200},
		{"the models", "GET", "/backend-api/codex/models?client_version=1", nil, 200},
		{"another account", "POST", "/backend-api/codex/responses", header("Chatgpt-Account-Id", "another"), 403},
		{"where requests go, without the stand-in", "GET", "/backend-api/wham/accounts/check", func(r *http.Request) { r.Header.Del("Authorization") }, 403},
		{"another path", "GET", "/backend-api/wham/tasks/list", nil, 403},
		{"outside of the backend", "GET", "/oauth/token", nil, 400},
		{"an encoded slash", "GET", "/backend-api/codex%2fmodels", nil, 400},
		{"a WebSocket", "GET", "/backend-api/codex/responses", header("Upgrade", "websocket"), 426},
		{"no stand-in", "POST", "/backend-api/codex/responses", func(r *http.Request) { r.Header.Del("Authorization") }, 403},
		{"the real token", "POST", "/backend-api/codex/responses", header("Authorization", "Bearer "+chatGPTToken("secret")), 403},
	} {
		for port := range 2 {
			got := s.ask(t, port, tt.method, tt.path, "", tt.change)
			seen := up.requests()
			switch {
			case got.status != tt.want || (len(seen) == 1) != (tt.want == 200):
				t.Errorf("%s: %+v, %d requests sent on", tt.name, got, len(seen))
			case strings.Contains(got.text(), chatGPTToken("secret")):
				t.Errorf("%s: the token is in the answer", tt.name)
			case tt.want == 200 && (seen[0].Header.Get("Authorization") != "Bearer "+chatGPTToken("secret") ||
				seen[0].Header.Get("Chatgpt-Account-Id") != "acct"):
				t.Errorf("%s: the service sees %v", tt.name, seen[0].Header)
			}
		}
	}
	if text := string(s.AuthFile()); strings.Contains(text, "secret") || !strings.Contains(text, s.login.proof) {
		t.Errorf("the session's auth.json is %s", text)
	}
}

// TestChatGPTEnded: with a login that is of no use codex gets an answer to its first question, and then the reason, with a status at which
// it stops.
func TestChatGPTEnded(t *testing.T) {
	up := newService(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	s := openChatGPT(t, up.URL, nil)
	testhome.NoError(t, os.WriteFile(s.options.AuthFile, []byte(`{"OPENAI_API_KEY":"sk-secret"}`), 0o600))
	if got := s.ask(t, 1, "GET", "/backend-api/wham/accounts/check", "", nil); got.status != 200 || !strings.Contains(got.body, `"acct"`) {
		t.Errorf("codex is told %+v", got)
	}
	got := s.ask(t, 0, "POST", "/backend-api/codex/responses", "{}", nil)
	var said struct{ Message string }
	if err := json.Unmarshal([]byte(got.body), &said); err != nil || got.status != 400 ||
		!strings.HasSuffix(said.Message, "run: codex swop login work") {
		t.Errorf("codex is told %+v", got)
	}
}

// TestChatGPTTokenOfCommand: the access token may lie nowhere in the account.
func TestChatGPTTokenOfCommand(t *testing.T) {
	up := newService(t, nil)
	s := openChatGPT(t, up.URL, func(b *config.Bridge) {
		b.Token = config.Token{Command: []string{"echo", chatGPTToken("printed")}}
	})
	got := s.ask(t, 0, "POST", "/backend-api/codex/responses", "{}", nil)
	if seen := up.requests(); got.status != 200 || len(seen) != 1 || seen[0].Header.Get("Authorization") != "Bearer "+chatGPTToken("printed") {
		t.Errorf("the answer is %+v, of %d requests", got, len(seen))
	}
	text := string(s.AuthFile())
	if strings.Contains(text, "c2VjcmV0") || !strings.Contains(text, `"account_id":"acct"`) ||
		!login.IsStandIn([]byte(text)) {
		t.Errorf("the session's auth.json is %s", text)
	}
}
