//go:build unix

package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"swop/bridge/chatgpt"
	"swop/bridge/github"
	"swop/bridge/request"
	"swop/config"
)

// bridge is one bridge of a session.
type bridge struct {
	config.Bridge
	destination
	session *Session
	source  tokens
	hosts   []string // by which a request may name it

	allowed, refused atomic.Int64

	widening sync.Mutex
	more     []config.Rule // that were added while the session runs
}

// ServeHTTP sends a request on if it is allowed, else says why not, and what to ask for.
func (b *bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.handle(w, r, b.judge, &b.destination)
}

// handle sends a request on to its destination if judge does not refuse it.
func (b *bridge) handle(w http.ResponseWriter, r *http.Request, judge func(*http.Request) (request.Target, *request.Refusal), to *destination) {
	leave, no := b.session.enter(r.Context())
	if no != nil {
		b.refuse(w, r, no)
		return
	}
	defer leave()
	t, no := judge(r)
	if no != nil {
		b.refuse(w, r, no)
		return
	}
	b.forward(w, r, t, to)
}

// judge returns what the request asks for, or why that is refused.
func (b *bridge) judge(r *http.Request) (request.Target, *request.Refusal) {
	if no := checkForm(r, b.hosts...); no != nil {
		return request.Target{}, no
	}
	if b.Kind == config.BridgeGitHub {
		return github.Judge(b.rules(), b.Host, r)
	}
	return b.judgePath(r.Method, r.RequestURI)
}

// judgePath is judge for a service whose rules are of methods and paths.
func (b *bridge) judgePath(method, uri string) (request.Target, *request.Refusal) {
	t, no := request.Read(method, uri)
	if no == nil {
		no = b.rules().Judge(t)
	}
	return t, no
}

func (b *bridge) forward(w http.ResponseWriter, r *http.Request, t request.Target, to *destination) {
	token, err := b.source.Token(r.Context(), "")
	if err != nil {
		no, ok := errors.AsType[*request.Refusal](err)
		if !ok {
			no = request.Refuse(http.StatusBadGateway, "the bridge %q has no token: %v", b.Name, err)
		}
		b.refuse(w, r, no)
		return
	}
	b.allowed.Add(1)
	e := event{Bridge: b.Name, Method: r.Method, Path: t.Path(), Verdict: allowed}
	status, failed := to.send(w, r, t, &presented{tokens: b.source, now: token, seen: []string{token}})
	if e.Status = status; failed != nil {
		e.Status, e.Reason = failed.Status, failed.Text
		b.write(w, r, failed)
	}
	b.session.log(e)
}

func (b *bridge) refuse(w http.ResponseWriter, r *http.Request, no *request.Refusal) {
	b.refused.Add(1)
	path, _, _ := strings.Cut(r.RequestURI, "?")
	b.session.log(event{Bridge: b.Name, Method: r.Method, Path: path, Verdict: refused, Status: no.Status, Reason: no.Text})
	b.write(w, r, no)
}

// ours is at the beginning of what a bridge itself answers.
const ours = "swop: "

// write answers as who asked understands it: git shows text, gh the message of an object.
func (b *bridge) write(w http.ResponseWriter, r *http.Request, no *request.Refusal) {
	kind, text := "text/plain; charset=utf-8", []byte(ours+no.Text)
	if r.Header.Get(sessionHeader) == "" {
		kind = "application/json"
		text, _ = json.Marshal(map[string]string{"message": string(text)}) // strings are always encoded
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(no.Status)
	_, _ = w.Write(append(text, '\n')) // the client may be gone
}

// checkForm refuses a request that is not the plain form of one, or is meant for somebody else.
func checkForm(r *http.Request, hosts ...string) *request.Refusal {
	connection := strings.ToLower(strings.Join(r.Header.Values("Connection"), ","))
	switch {
	case !slices.Contains(hosts, strings.ToLower(r.Host)):
		return request.Refuse(http.StatusMisdirectedRequest, "there is no host %q behind this bridge", r.Host)
	case hasTwoLengths(r.Context()):
		return request.Refuse(http.StatusBadRequest, "the request says twice how long it is")
	case r.Header.Get("Upgrade") != "":
		return request.Refuse(http.StatusBadRequest, "another protocol is not bridged")
	case strings.Trim(connection, " ,") != "" && strings.Trim(connection, " ,") != "close" && strings.Trim(connection, " ,") != "keep-alive":
		return request.Refuse(http.StatusBadRequest, "the header Connection may say only close or keep-alive")
	}
	return nil
}

// headKey finds the bytes of a request's header in its context.
type headKey struct{}

// hasTwoLengths reports whether the header has more than one of the lines that say how long the body is. net/http settles that itself, and
// servers do it in different ways.
func hasTwoLengths(ctx context.Context) bool {
	conn, ok := ctx.Value(headKey{}).(*clientConn)
	if !ok {
		return false
	}
	n := 0
	for line := range strings.Lines(string(conn.head)) {
		name, _, _ := strings.Cut(strings.ToLower(line), ":")
		if name == "content-length" || name == "transfer-encoding" {
			n++
		}
	}
	return n > 1
}

// newBridge returns the bridge that b describes.
func newBridge(s *Session, b config.Bridge) (*bridge, error) {
	base, err := url.Parse(b.Upstream)
	if err != nil {
		return nil, err
	}
	header := b.Header
	switch b.Kind {
	case config.BridgeGitHub:
		header = "Authorization: token " + config.TokenMark // as gh sends it
	case config.BridgeOpenAI, config.BridgeChatGPT:
		header = "Authorization: Bearer " + config.TokenMark
	}
	name, value, _ := strings.Cut(header, ": ")
	token := b.Token
	if token.Host {
		token = hostToken(s.options.Env, b.Host)
	}
	hosts := []string{b.Name, "localhost", base.Host}
	if b.Kind == config.BridgeGitHub {
		api, _ := config.APIHost(b.Host)
		hosts = append(hosts, api)
		if b.Host != config.GitHubHost {
			hosts = append(hosts, b.Host) // an older gh knows it as a server of one's own
		}
	}
	return &bridge{
		Bridge: b, session: s, hosts: hosts,
		source: s.tokens(b.Kind, token),
		destination: destination{
			base: base, transport: s.transport, limits: s.limits, log: s.errors,
			credential: func(token string) (string, string) { return name, strings.Replace(value, config.TokenMark, token, 1) },
		},
	}, nil
}

// tokens returns where the secret of a bridge of this kind comes from.
func (s *Session) tokens(kind string, from config.Token) tokens {
	o := &s.options
	if kind == config.BridgeChatGPT && from.Login {
		return &chatgpt.Tokens{Label: o.Label, AuthFile: o.AuthFile, Dir: o.Sandbox, Codex: o.Codex, Now: o.Now}
	}
	return &source{from: from, home: o.Home, env: o.Env, auth: o.AuthFile, printed: printed{now: o.Now}}
}
