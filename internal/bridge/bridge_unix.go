//go:build unix

package bridge

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"swop/config"
	"swop/internal/bridge/chatgpt"
	"swop/internal/bridge/github"
	"swop/internal/bridge/request"
)

// way is a way of requests to a bridge: by its socket, or by ports for git or codex, which every program of this machine reaches. By a
// port, a request has to prove that it is the session's.
type way struct {
	config.Bridge
	destination
	session  *Session
	source   tokens
	judge    func(rules request.Rules, r *http.Request, uri string) (request.Target, *request.Refusal)
	ports    []int
	prefix   string // the beginning of each request's address; the rest is judged
	header   string // the name of the header with the proof, "" for a socket
	proof    string
	stranger string // the answer to a request without the proof
	file     []byte // the session's auth.json in the place of the account's own, nil for that one
}

// ServeHTTP sends a request on if it is allowed, else answers with the reason, and the rule to ask for.
func (w *way) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	if no := w.try(to, r); no != nil {
		w.write(to, r, no)
	}
}

// try sends a request on if it is allowed. Without an answer from the service it returns the reason.
func (w *way) try(to http.ResponseWriter, r *http.Request) *request.Refusal {
	leave, no := w.session.enter(r.Context())
	if no != nil {
		return w.refuse(r, no)
	}
	defer leave()
	t, no := w.asks(r)
	if no != nil {
		return w.refuse(r, no)
	}
	token, err := w.source.Token(r.Context(), "")
	if err != nil {
		no, ok := errors.AsType[*request.Refusal](err)
		if !ok {
			no = request.Refuse(http.StatusBadGateway, "the bridge %q has no token: %v", w.Name, err)
		}
		return w.refuse(r, no)
	}
	e := event{Bridge: w.Name, Method: r.Method, Path: t.Path(), Verdict: allowed}
	defer func() { w.session.log(e) }() // also if send panics
	if no = w.send(to, r, t, attempt{tokens: w.source, now: token, seen: []string{token}}, &e.Status); no != nil {
		e.Status, e.Reason = no.Status, no.Text
	}
	return no
}

// asks returns the target of the request, or why the request is refused.
func (w *way) asks(r *http.Request) (t request.Target, no *request.Refusal) {
	if no := w.admits(r); no != nil {
		return t, no
	}
	uri, ok := strings.CutPrefix(r.RequestURI, w.prefix)
	if !ok {
		return t, request.Refuse(http.StatusBadRequest, "only paths that begin with %s are passed on here", w.prefix)
	}
	if r.Header.Get("Upgrade") != "" { // after this status codex goes on without WebSockets
		return t, request.Refuse(http.StatusUpgradeRequired, "a bridge does not switch to another protocol")
	}
	return w.judge(request.Rules{Bridge: w.Name, List: w.Allow}, r, uri)
}

// admits refuses a request that is not the session's.
func (w *way) admits(r *http.Request) *request.Refusal {
	shown := strings.TrimPrefix(r.Header.Get(w.header), "Bearer ")
	if w.header != "" && subtle.ConstantTimeCompare([]byte(shown), []byte(w.proof)) != 1 {
		return request.Refuse(http.StatusForbidden, "%s", w.stranger)
	}
	return nil
}

// refuse logs a refusal, and returns it.
func (w *way) refuse(r *http.Request, no *request.Refusal) *request.Refusal {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	w.session.log(event{Bridge: w.Name, Method: r.Method, Path: path, Verdict: refused, Status: no.Status, Reason: no.Text})
	return no
}

// write answers with a refusal in the form that the client shows: git shows text, gh the message of an object.
func (w *way) write(to http.ResponseWriter, r *http.Request, no *request.Refusal) {
	kind, text := "text/plain; charset=utf-8", []byte("swop: "+no.Text)
	if r.Header.Get(sessionHeader) == "" {
		kind = "application/json"
		text, _ = json.Marshal(map[string]string{"message": string(text)}) // strings are always encoded
	}
	to.Header().Set("Content-Type", kind)
	to.WriteHeader(no.Status)
	_, _ = to.Write(append(text, '\n')) // the client may be gone
}

// newWay returns the way to a bridge by its socket.
func (s *Session) newWay(b config.Bridge) (*way, error) {
	base, err := url.Parse(b.Upstream)
	if err != nil {
		return nil, err
	}
	w := &way{Bridge: b, session: s, judge: request.Rules.JudgePath}
	header, token := b.Header, b.Token
	switch b.Kind {
	case config.BridgeGitHub:
		header = "Authorization: token " + config.TokenMark // as gh sends it
		if token.Host {
			token = hostToken(s.options.Env, b.Host)
		}
		w.judge = func(rules request.Rules, r *http.Request, _ string) (request.Target, *request.Refusal) {
			return github.Judge(rules, b.Host, r)
		}
	case config.BridgeOpenAI, config.BridgeChatGPT:
		header = "Authorization: Bearer " + config.TokenMark
	}
	name, value, _ := strings.Cut(header, ": ")
	w.source = s.tokens(b.Kind, token)
	w.destination = destination{
		base: base, transport: s.transport, log: s.errors,
		credential: func(token string) (string, string) { return name, strings.Replace(value, config.TokenMark, token, 1) },
	}
	return w, nil
}

// tokens returns the source of the secret for a bridge of this kind.
func (s *Session) tokens(kind string, from config.Token) tokens {
	o := &s.options
	if kind == config.BridgeChatGPT && from.Login {
		return &chatgpt.Tokens{Label: o.Label, AuthFile: o.AuthFile, Dir: o.Sandbox, Codex: o.Codex, Now: o.Now}
	}
	return &source{from: from, places: o.Places, env: o.Env, auth: o.AuthFile, printed: printed{now: o.Now}}
}
