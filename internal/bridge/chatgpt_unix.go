//go:build unix

package bridge

import (
	"cmp"
	"net/http"
	"strings"

	"swop/internal/account/login"
	"swop/internal/bridge/chatgpt"
	"swop/internal/bridge/request"
)

// chatGPT is the way of codex with a ChatGPT login.
type chatGPT struct {
	*way
	account string // OpenAI's id
}

const (
	chatGPTPath   = "/backend-api"
	modelPath     = "/codex"             // of the model, below the address of the backend
	accountHeader = "Chatgpt-Account-Id" // has the account's id
)

// openChatGPT opens the way of codex with a ChatGPT login.
func (s *Session) openChatGPT(socket *way) error {
	in, err := s.chatGPTStandIn(socket)
	if err != nil {
		return err
	}
	c := &chatGPT{account: in.Account}
	socket.ended, socket.amend = http.StatusBadRequest, c.amend // for requests by the socket, too
	c.way = socket.forCodex(chatGPTPath, in.Token)
	c.file, c.judge = in.File, c.judgeAccount
	s.login = c.way
	return s.lead(c.way, c, 2) // since 0.158 codex sends the requests to the model past the bridge if they go to the origin of the backend
}

// noAddress stands for the account's e-mail address. 0.92's app-server and 0.128's TUI refuse a login without one.
const noAddress = "elsewhere@swop.invalid"

// chatGPTStandIn returns the stand-in for the login in the account's sessions.
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
	err = s.storeStandIn(func(former []byte) (file []byte, err error) {
		in, err = chatgpt.NewStandIn(text, s.options.Now(), cmp.Or(login.ParseLogin(text).Email, noAddress), former)
		return in.File, err
	})
	return in, err
}

// amend sets the account of a request, and lets the server decide the routing.
func (c *chatGPT) amend(h http.Header) {
	h.Set(accountHeader, c.account)
	h.Del("X-Openai-Account-Routing-Override")
}

// ServeHTTP answers the question at [chatgpt.CheckPath], and sends all other requests on.
func (c *chatGPT) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	if path, _, _ := strings.Cut(r.RequestURI, "?"); path == c.prefix+chatgpt.CheckPath && c.admits(r) == nil {
		to.Header().Set("Content-Type", "application/json")
		_, _ = to.Write(chatgpt.Check(c.account)) // the client may be gone
		return
	}
	c.way.ServeHTTP(to, r)
}

// judgeAccount judges a request, and refuses one for another account.
func (c *chatGPT) judgeAccount(rules request.Rules, r *http.Request, uri string) (request.Target, *request.Refusal) {
	t, no := rules.JudgePath(r, uri)
	if id := r.Header.Get(accountHeader); no == nil && id != "" && id != c.account {
		no = request.Refuse(http.StatusForbidden, "the session asked for the login of another account")
	}
	return t, no
}
