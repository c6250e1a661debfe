//go:build unix

package bridge

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"swop/account/login"
	"swop/bridge/request"
	"swop/config"
	"swop/disk"
	"swop/say"
)

// codexLogin is the way of codex's own requests through a bridge. codex speaks to it by TCP, which every program of this machine
// reaches: what it sends as its key or token, a stand-in in its auth.json, says that it is the session's.
type codexLogin struct {
	*bridge
	standIn string
	file    []byte // what a session has as its auth.json in the place of the account's own, nil if it has that
	path    string // what the paths of codex's requests begin with: openAIPath or chatGPTPath
	ports   []int
	handler http.Handler // of the ports
}

const openAIPath = "/v1"

// openLogin opens the way of codex with an API key.
func (s *Session) openLogin(b *bridge) error {
	standIn, err := s.loginStandIn(b)
	if err != nil {
		return err
	}
	login := &codexLogin{bridge: b, standIn: standIn, path: openAIPath}
	if b.Token.Login || s.options.Far {
		login.file = authFile(standIn)
	}
	return s.lead(login, login, 1)
}

// lead opens n ports for codex, whose requests h serves.
func (s *Session) lead(login *codexLogin, h http.Handler, n int) error {
	for range n {
		l, inside, port, err := s.listenPort()
		if err != nil {
			return err
		}
		login.ports = append(login.ports, port)
		s.serve(l, h)
		s.serve(inside, h)
	}
	login.handler = h
	s.login = login
	return nil
}

// ServeHTTP sends a request of codex on.
func (c *codexLogin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if c.admits(w, r) {
		c.handle(w, r, c.judge, &c.destination)
	}
}

// admits reports whether the request is the session's, and a plain one; else it answers.
func (c *codexLogin) admits(w http.ResponseWriter, r *http.Request) bool {
	proof := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case subtle.ConstantTimeCompare([]byte(proof), []byte(c.standIn)) != 1:
		c.refuse(w, r, request.Refuse(http.StatusForbidden, "this is the way of codex in a session; its auth.json no longer has the stand-in for the login"))
	case r.Header.Get("Origin") != "":
		c.refuse(w, r, request.Refuse(http.StatusForbidden, "this is the way of codex in a session; a browser has none here"))
	case r.Header.Get("Upgrade") != "": // codex goes on without
		c.refuse(w, r, request.Refuse(http.StatusUpgradeRequired, "another protocol is not bridged"))
	default:
		return true
	}
	return false
}

func (c *codexLogin) judge(r *http.Request) (request.Target, *request.Refusal) {
	var hosts []string
	for _, port := range c.ports {
		hosts = append(hosts, fmt.Sprintf("127.0.0.1:%d", port))
	}
	if no := checkForm(r, hosts...); no != nil {
		return request.Target{}, no
	}
	path, ok := strings.CutPrefix(r.RequestURI, c.path)
	if !ok {
		return request.Target{}, request.Refuse(http.StatusBadRequest, "the path must begin with %s", c.path)
	}
	return c.judgePath(r.Method, path)
}

// loginStandIn returns what codex sends as its key. Where the account's own login is bridged, or another machine has it, it is one of this session alone.
func (s *Session) loginStandIn(b *bridge) (string, error) {
	if !b.Token.Login && !s.options.Far {
		return standIn(s.options.AuthFile)
	}
	if _, err := b.source.Token(s.life, ""); err != nil {
		return "", err
	}
	return login.StandInKey + rand.Text(), nil
}

// AuthFile returns what a session has as its auth.json in the place of the account's own login, nil if it has that.
func (s *Session) AuthFile() []byte {
	if s.login == nil {
		return nil
	}
	return s.login.file
}

// authFile is an auth.json with a key.
func authFile(key string) []byte { return []byte(`{"OPENAI_API_KEY":"` + key + `"}`) }

// standIn returns what stands in for the key in the account's auth.json, which is made if it is missing. Another login there is an error.
func standIn(file string) (string, error) {
	text, err := ownStandIn(file)
	if key, ok := login.APIKey([]byte(text)); ok || err != nil {
		return key, err
	}
	made := login.StandInKey + rand.Text()
	return made, disk.WriteFile(file, authFile(made))
}

// ownStandIn returns the stand-in in the account's auth.json, "" for none. A login there is an error.
func ownStandIn(file string) (string, error) {
	text, err := disk.ReadOwn(file, login.MaxAuth)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err == nil && text != "" && !login.IsStandIn([]byte(text)) {
		label := filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(file))))
		return "", say.WithHint(fmt.Errorf("the account %q has a login of its own, and config.toml one that is elsewhere", label), "log out first: codex swop logout "+say.ShellQuote(label))
	}
	return text, err
}

// The variables with the addresses for codex's requests: to the model, and to the backend of a ChatGPT login.
const (
	baseVariable    = "SWOP_BRIDGE_LOGIN_URL"
	backendVariable = "SWOP_BRIDGE_LOGIN_BACKEND_URL"
)

// outranking are variables with credentials that codex prefers to its login, and one with a key that a session is not to have.
var outranking = []string{"CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "OPENAI_API_KEY"}

// variables lead codex to the bridge: up to 0.92 by OPENAI_BASE_URL, later by an argument; see [LeadCodex].
func (c *codexLogin) variables() []config.Variable {
	base := fmt.Sprintf("http://127.0.0.1:%d%s", c.ports[0], c.path)
	var list []config.Variable
	if len(c.ports) > 1 {
		list = append(list, config.Variable{Name: backendVariable, Value: fmt.Sprintf("http://127.0.0.1:%d%s", c.ports[1], c.path)})
		base += modelPath
	}
	list = append(list, config.Variable{Name: baseVariable, Value: base}, config.Variable{Name: "OPENAI_BASE_URL", Value: base})
	for _, name := range outranking {
		list = append(list, config.Variable{Name: name, Remove: true})
	}
	return list
}

// LeadCodex returns the arguments of codex with what leads its requests to the session's bridge, if the environment has one for them. A
// background server would go on with the address of a session that has ended: none is started.
func LeadCodex(args []string, env config.Env) []string {
	base := env.Value(baseVariable)
	if base == "" || len(args) == 0 {
		return args
	}
	lead := []string{"-c", `openai_base_url="` + base + `"`, "-c", "features.daemon_auto_start=false"}
	if backend := env.Value(backendVariable); backend != "" {
		lead = append(lead, "-c", `chatgpt_base_url="`+backend+`"`)
		for _, key := range unbridged {
			lead = append(lead, "-c", key+"=false")
		}
	}
	return slices.Insert(slices.Clone(args), 1, lead...)
}

// unbridged are parts of codex that ask the backend for what the bridge refuses: without them codex does not warn of it.
var unbridged = []string{"features.plugins", "features.apps", "features.remote_plugin", "analytics.enabled"}
