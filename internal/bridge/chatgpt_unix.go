//go:build unix

package bridge

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"

	"swop/config"
	"swop/internal/account/login"
	"swop/internal/bridge/chatgpt"
	"swop/internal/bridge/request"
)

// chatGPT is the way of codex with a ChatGPT login.
type chatGPT struct {
	*way
	account string // OpenAI's id
	route   atomic.Pointer[chatgpt.Route]
}

const (
	chatGPTPath   = "/backend-api"
	modelPath     = "/codex"             // where the model is, below the address of the backend
	accountHeader = "Chatgpt-Account-Id" // names the account, as codex writes it
)

// openChatGPT opens the way of codex with a ChatGPT login.
func (s *Session) openChatGPT(socket *way) error {
	in, err := s.chatGPTStandIn(socket)
	if err != nil {
		return err
	}
	c := &chatGPT{account: in.Account}
	c.route.Store(&chatgpt.Route{})
	socket.ended, socket.amend = http.StatusBadRequest, c.amend // also for what comes by the socket
	c.way = socket.forCodex(chatGPTPath, in.Token)
	c.file, c.judge = in.File, c.judgeAccount
	return s.leadLogin(c.way, c)
}

// noAddress stands for the account's e-mail address. 0.92's app-server and 0.128's TUI refuse a login without one.
const noAddress = "elsewhere@swop.invalid"

// chatGPTStandIn returns what stands in for the login in the account's sessions.
func (s *Session) chatGPTStandIn(b *way) (in chatgpt.StandIn, err error) {
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
	err = s.keepStandIn(func(former []byte) (file []byte, err error) {
		in, err = chatgpt.NewStandIn(text, s.options.Now(), cmp.Or(login.ParseLogin(text).Email, noAddress), former)
		return in.File, err
	})
	return in, err
}

// amend sets the headers that say whose requests these are, and where they go.
func (c *chatGPT) amend(h http.Header) {
	h.Set(accountHeader, c.account)
	name, value := c.route.Load().Header()
	if h.Del(name); value != "" {
		h.Set(name, value)
	}
}

// ServeHTTP sends a request of codex on, to where those of its account go.
func (c *chatGPT) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	w := *c.way
	if path, _, _ := strings.Cut(r.RequestURI, "?"); path == c.prefix+chatgpt.CheckPath {
		w.judge, w.rewrite = request.Rules.JudgePath, c.rewriteCheck
		c.check(&w, to, r)
		return
	}
	if base, err := url.Parse(c.route.Load().Origin + c.base.Path); err == nil && base.IsAbs() && c.Upstream == config.ChatGPTAPI {
		w.base = base
	}
	w.ServeHTTP(to, r)
}

// judgeAccount refuses what is asked for another account, or would go to a server that is not OpenAI's.
func (c *chatGPT) judgeAccount(rules request.Rules, r *http.Request, uri string) (request.Target, *request.Refusal) {
	t, no := rules.JudgePath(r, uri)
	switch id := r.Header.Get(accountHeader); {
	case no != nil:
	case id != "" && id != c.account:
		no = request.Refuse(http.StatusForbidden, "the session has the login of one account, and asks for another one")
	case !c.route.Load().IsKnown() && c.Upstream == config.ChatGPTAPI:
		no = request.Refuse(http.StatusBadRequest, "the requests of this workspace have to go to a server that the bridge does not know: remove login = \"bridged\" of the account")
	}
	return t, no
}

// check sends on the question where the account's requests go. With a login that is of no use codex would hide why, and take 13 seconds or
// more: it gets an answer to this question, and the reason with the next one.
func (c *chatGPT) check(w *way, to http.ResponseWriter, r *http.Request) {
	switch no := w.try(to, r); {
	case no != nil && no.Status == http.StatusBadRequest:
		to.Header().Set("Content-Type", "application/json")
		_, _ = to.Write(chatgpt.Check(c.account)) // the client may be gone
	case no != nil:
		w.write(to, r, no)
	}
}

// maxCheck bounds the answer to that question, in bytes.
const maxCheck = 1 << 20

// rewriteCheck changes that answer: codex is told that its requests go nowhere else, for the bridge follows in its place.
func (c *chatGPT) rewriteCheck(answer *http.Response) error {
	text, err := io.ReadAll(http.MaxBytesReader(nil, answer.Body, maxCheck))
	if err != nil {
		return request.Refuse(http.StatusBadGateway, "the answer about the workspace cannot be read")
	}
	if rewritten, route, ok := chatgpt.Rewrite(text, c.account); ok && answer.StatusCode == http.StatusOK {
		text = rewritten
		c.route.Store(&route)
	}
	answer.Body = io.NopCloser(bytes.NewReader(text))
	answer.ContentLength = int64(len(text))
	answer.Header.Set("Content-Length", strconv.Itoa(len(text)))
	return nil
}
