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

// codexLogin is the way of codex's own requests through an openai bridge. codex speaks to it by TCP, which every program of this machine
// reaches: what it sends as its key, a stand-in in the account's auth.json, says that it is the session's.
type codexLogin struct {
	*bridge
	standIn string
	port    int
}

// openLogin opens the way of codex.
func (s *Session) openLogin(b *bridge) error {
	standIn, err := s.loginStandIn(b)
	if err != nil {
		return err
	}
	l, socket, port, err := s.listenPort()
	if err != nil {
		return err
	}
	s.login = &codexLogin{b, standIn, port}
	s.serve(l, s.login)
	s.serve(socket, s.login)
	return nil
}

// apiPath is what the paths of codex's requests begin with.
const apiPath = "/v1"

// ServeHTTP sends a request of codex on.
func (c *codexLogin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	proof := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case subtle.ConstantTimeCompare([]byte(proof), []byte(c.standIn)) != 1:
		c.refuse(w, r, request.Refuse(http.StatusForbidden, "this is the way of codex in a session; its auth.json no longer has the stand-in for the key"))
	case r.Header.Get("Upgrade") != "": // codex goes on without
		c.refuse(w, r, request.Refuse(http.StatusUpgradeRequired, "another protocol is not bridged"))
	default:
		c.handle(w, r, c.judge, &c.destination)
	}
}

func (c *codexLogin) judge(r *http.Request) (request.Target, *request.Refusal) {
	if no := checkForm(r, fmt.Sprintf("127.0.0.1:%d", c.port)); no != nil {
		return request.Target{}, no
	}
	path, ok := strings.CutPrefix(r.RequestURI, apiPath)
	if !ok {
		return request.Target{}, request.Refuse(http.StatusBadRequest, "the path must begin with %s", apiPath)
	}
	return c.judgePath(r.Method, path)
}

// loginStandIn returns what codex sends as its key. Where the account's own login is bridged, it is one of this session alone.
func (s *Session) loginStandIn(b *bridge) (string, error) {
	if !b.Token.Login {
		return standIn(s.options.AuthFile)
	}
	if _, err := b.source.Token(s.life, ""); err != nil {
		return "", err
	}
	return standInStart + rand.Text(), nil
}

// AuthFile returns what a session has as its auth.json in the place of the account's own login, nil if it has that.
func (s *Session) AuthFile() []byte {
	if s.login == nil || !s.login.Token.Login {
		return nil
	}
	return authFile(s.login.standIn)
}

// authFile is an auth.json with a key.
func authFile(key string) []byte { return []byte(`{"OPENAI_API_KEY":"` + key + `"}`) }

// standInStart is how a stand-in for a key begins.
const standInStart = "sk-swop-bridge-"

// standIn returns what stands in for the key in the account's auth.json, which is made if it is missing. Another login there is an error.
func standIn(file string) (string, error) {
	text, err := disk.ReadOwn(file, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		made := standInStart + rand.Text()
		return made, disk.CreateFile(file, authFile(made))
	}
	if err != nil {
		return "", err
	}
	key, ok := login.APIKey([]byte(text))
	if !ok || !strings.HasPrefix(key, standInStart) {
		err := fmt.Errorf("the account %q has a login of its own, and a bridge for its key", filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(file)))))
		return "", say.WithHint(err, "log out first: codex swop logout LABEL")
	}
	return key, nil
}

// baseVariable has the address for codex's requests.
const baseVariable = "SWOP_BRIDGE_LOGIN_URL"

// outranking are variables with credentials that codex prefers to its login, and one with a key that a session is not to have.
var outranking = []string{"CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "OPENAI_API_KEY"}

// variables lead codex to the bridge: up to 0.92 by OPENAI_BASE_URL, later by an argument; see [LeadCodex].
func (c *codexLogin) variables() []config.Variable {
	base := fmt.Sprintf("http://127.0.0.1:%d%s", c.port, apiPath)
	list := []config.Variable{{Name: baseVariable, Value: base}, {Name: "OPENAI_BASE_URL", Value: base}}
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
	return slices.Insert(slices.Clone(args), 1, "-c", `openai_base_url="`+base+`"`, "-c", "features.daemon_auto_start=false")
}
