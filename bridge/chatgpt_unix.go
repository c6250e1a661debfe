//go:build unix

package bridge

import (
	"bytes"
	"net/http"
	"net/url"
	"sync/atomic"

	"swop/account/login"
	"swop/bridge/chatgpt"
	"swop/bridge/request"
	"swop/config"
)

// chatGPT is the way of codex with a ChatGPT login. It has two ports, with the same handler: since 0.158 codex sends the requests to the model past the
// bridge if they go to the origin of the backend.
type chatGPT struct {
	*codexLogin
	account string // OpenAI's id
	route   atomic.Pointer[chatgpt.Route]
}

const (
	chatGPTPath  = "/backend-api"
	chatGPTPorts = 2
)

// modelPath is where the model is, below the address of the backend.
const modelPath = "/codex"

// accountHeader names the account, as codex writes it.
const accountHeader = "Chatgpt-Account-Id"

// openChatGPT opens the way of codex with a ChatGPT login.
func (s *Session) openChatGPT(b *bridge) error {
	in, err := s.chatGPTStandIn(b)
	if err != nil {
		return err
	}
	c := &chatGPT{codexLogin: &codexLogin{bridge: b, standIn: in.Token, file: in.File, path: chatGPTPath}, account: in.Account}
	c.route.Store(&chatgpt.Route{})
	b.destination.ended = http.StatusBadRequest
	b.destination.amend = c.amend // also for what comes by the socket
	return s.lead(c.codexLogin, c, chatGPTPorts)
}

// chatGPTStandIn returns what stands in for the login in this session. One for another machine has no e-mail address.
func (s *Session) chatGPTStandIn(b *bridge) (in chatgpt.StandIn, err error) {
	var text []byte
	if own, ok := b.source.(*chatgpt.Tokens); ok {
		text, err = own.Begin()
	} else {
		var token string
		token, err = b.source.Token(s.life, "")
		text = chatgpt.OfToken(token)
	}
	if err != nil {
		return in, err
	}
	email := ""
	if !s.options.Far {
		email = login.ParseLogin(text).Email
	}
	return chatgpt.NewStandIn(text, s.options.Now(), email)
}

// amend sets the headers that say whose requests these are, and where they go.
func (c *chatGPT) amend(h http.Header) {
	h.Set(accountHeader, c.account)
	name, value := c.route.Load().Header()
	if h.Del(name); value != "" {
		h.Set(name, value)
	}
}

// ServeHTTP sends a request of codex on.
func (c *chatGPT) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !c.admits(w, r) {
		return
	}
	if path, _, _ := bytes.Cut([]byte(r.RequestURI), []byte("?")); string(path) == c.path+chatgpt.CheckPath {
		c.check(w, r)
		return
	}
	to := c.destination
	if base, err := url.Parse(c.route.Load().Origin + c.base.Path); err == nil && base.IsAbs() && c.Upstream == config.ChatGPTAPI {
		to.base = base
	}
	c.handle(w, r, c.judge, &to)
}

func (c *chatGPT) judge(r *http.Request) (request.Target, *request.Refusal) {
	t, no := c.codexLogin.judge(r)
	switch id := r.Header.Get(accountHeader); {
	case no != nil:
	case id != "" && id != c.account:
		no = request.Refuse(http.StatusForbidden, "the session has the login of one account, and asks for another one")
	case !c.route.Load().IsKnown() && c.Upstream == config.ChatGPTAPI:
		no = request.Refuse(http.StatusBadRequest, "the requests of this workspace have to go to a server that the bridge does not know: remove login = \"bridged\" of the account")
	}
	return t, no
}

// check answers where the account's requests go: nowhere else, as codex is to be told, for the bridge follows in its place. With a login that is of
// no use codex would hide why, and take 13 seconds or more: it gets the answer to this question, and the reason with the next one.
func (c *chatGPT) check(w http.ResponseWriter, r *http.Request) {
	kept := &keptAnswer{header: http.Header{}, status: http.StatusOK}
	c.handle(kept, r, c.codexLogin.judge, &c.destination)
	text := kept.body.Bytes()
	switch kept.status {
	case http.StatusOK:
		rewritten, route, ok := chatgpt.Rewrite(text, c.account)
		if ok {
			text = rewritten
			c.route.Store(&route)
		}
	case http.StatusBadRequest:
		text, kept.status = chatgpt.Check(c.account), http.StatusOK
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(kept.status)
	_, _ = w.Write(text) // the client may be gone
}

// keptAnswer is an answer that is changed before it is sent.
type keptAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// maxKept bounds it, in bytes: one that is longer is none.
const maxKept = 1 << 20

func (k *keptAnswer) Header() http.Header { return k.header }

func (k *keptAnswer) WriteHeader(status int) { k.status = status }

func (k *keptAnswer) Write(p []byte) (int, error) {
	if k.body.Len()+len(p) > maxKept {
		k.status = http.StatusBadGateway
		return 0, http.ErrContentLength
	}
	return k.body.Write(p)
}
