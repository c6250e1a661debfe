//go:build unix

package chatgpt

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"path/filepath"
	"time"

	"swop/internal/account/login"
	"swop/internal/account/rpc"
	"swop/internal/bridge/request"
	"swop/internal/disk"
	"swop/internal/say"
)

// Tokens gives the access token of an account's own login, and lets the real codex renew it. Any number of processes may do that for one
// account.
type Tokens struct {
	Label    string // of the account
	AuthFile string
	Dir      string     // the account's sandbox, with the mark of renewals
	Codex    rpc.Talker // to a codex that runs as the account; nil where no login can be renewed
	Now      func() time.Time

	owner login.Identity // of the login when the session began
}

const (
	// beforeExpiry is how long before its expiry a token is renewed: as codex does.
	beforeExpiry = 5 * time.Minute
	// renewTime is how long a request waits for the renewal. The real codex takes 0.1 to 0.3 seconds.
	renewTime = 30 * time.Second
	// changeTime is how long the file may take to change after codex has said that it cannot renew: another codex may have used the refresh
	// token, and be writing the new ones.
	changeTime = 2 * time.Second
	// restTime is how long codex is not asked again to renew a login: with a server that refuses all tokens, or a wrong clock, each request
	// would use up a refresh token.
	restTime = time.Minute

	pollTime = 20 * time.Millisecond
)

// markName is the file of [mark] in the account's sandbox, of maxMark bytes at most.
const (
	markName = "login-state.json"
	maxMark  = 4 << 10
)

// state is an auth.json as it was read.
type state struct {
	text   []byte // of the file
	sum    string // a digest of text
	access string
	expiry time.Time // zero where the token does not say
}

// Begin returns the account's auth.json. From then on a login of another owner is refused: the session has the ids of this one.
func (t *Tokens) Begin() ([]byte, error) {
	s, err := t.read()
	t.owner = login.ParseIdentity(s.text)
	return s.text, err
}

// read reads the account's auth.json. Releases up to 0.166 write it in place: a text without a login is read again, for 0.2 seconds.
func (t *Tokens) read() (s state, err error) {
	const tries = 10
	for n := range tries {
		if n > 0 {
			time.Sleep(pollTime)
		}
		text, err := disk.ReadOwn(t.AuthFile, login.MaxAuth)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return s, t.ended("the account %q has no login in a file")
		case err != nil:
			return s, err
		}
		if s.access, err = accessOf([]byte(text)); err == nil {
			return t.state(s.access, []byte(text))
		}
	}
	return s, t.ended("the account %q no longer has a ChatGPT login")
}

func (t *Tokens) state(access string, text []byte) (state, error) {
	sum := sha256.Sum256(text)
	s := state{text: text, sum: hex.EncodeToString(sum[:]), access: access}
	if seconds := login.Claims[claims](access).Expiry; seconds > 0 {
		s.expiry = time.Unix(seconds, 0)
	}
	who := login.ParseIdentity(text)
	if login.Differ(who.Account, t.owner.Account) || login.Differ(who.User, t.owner.User) {
		const text = "the account %q has another login now: end this session, and start codex again"
		return state{}, request.Refuse(http.StatusBadRequest, text, t.Label)
	}
	return s, nil
}

// ended returns the refusal of a request whose login has ended. Codex prints the text of a 400 and stops; after any other status it tries
// again for half a minute, or gives wrong advice.
func (t *Tokens) ended(format string) error {
	return request.Refuse(http.StatusBadRequest, format+"; outside of the session run: codex swop login %s", t.Label, say.ShellQuote(t.Label))
}

// Token returns the access token, as the interface of package bridge says. Codex renews it within five minutes of its expiry, and if it is
// the refused one. Errors are of type [*request.Refusal], or of a file that cannot be read.
func (t *Tokens) Token(ctx context.Context, refused string) (string, error) {
	s, err := t.read()
	if err == nil && t.due(s, refused) && !t.rests(s) {
		s, err = t.renew(ctx, s)
	}
	switch {
	case err != nil:
		return "", err
	case s.access == refused:
		return "", t.ended("OpenAI refuses the login of the account %q, and codex could not renew it now")
	}
	return s.access, nil
}

func (t *Tokens) due(s state, refused string) bool {
	return s.access == refused || !s.expiry.IsZero() && !t.Now().Before(s.expiry.Add(-beforeExpiry))
}

// mark is the file that notes the last renewal.
type mark struct {
	Auth  string    `json:"auth"`  // the sum of the auth.json after it
	Until time.Time `json:"until"` // when codex may be asked again
}

// rests reports whether codex was asked to renew this login within [restTime]. A mark from the far future, by a wrong clock, does not
// count.
func (t *Tokens) rests(s state) bool {
	var m mark
	text, err := disk.ReadOwn(filepath.Join(t.Dir, markName), maxMark)
	if err != nil || json.Unmarshal([]byte(text), &m) != nil {
		return false
	}
	left := m.Until.Sub(t.Now())
	return m.Auth == s.sum && left > 0 && left <= restTime
}

// renew lets the real codex renew the login, and returns the login after that. The file counts: codex's answer says little. Of many
// requests one asks at a time: see [rpc.Talker].
func (t *Tokens) renew(ctx context.Context, was state) (now state, err error) {
	if t.Codex == nil {
		const text = "the login of the account %q has to be renewed first: start codex with it"
		return was, request.Refuse(http.StatusServiceUnavailable, text, t.Label)
	}
	ctx, cancel := context.WithTimeout(ctx, renewTime)
	defer cancel()
	now = was
	_ = t.Codex(ctx, func(c *rpc.Conversation) error {
		if now, err = t.read(); err == nil && now.access == was.access && !t.rests(now) { // else another process has asked
			now, err = t.ask(c, was)
		}
		return err
	})
	if ctx.Err() != nil {
		return was, request.Refuse(http.StatusServiceUnavailable, "the renewal of the login takes too long")
	}
	return now, err
}

// ask lets codex renew the login. Codex renews an expired token by itself when it is asked for the account, so a renewal is forced only if
// the file has not changed after that question.
func (t *Tokens) ask(c *rpc.Conversation, was state) (state, error) {
	changed := func() bool {
		now, err := t.read()
		return err == nil && now.access != was.access
	}
	for _, force := range []string{"false", "true"} {
		if !changed() {
			_, _ = c.Call("account/read", json.RawMessage(`{"refreshToken":`+force+`}`))
		}
	}
	for left := changeTime; !changed() && left > 0; left -= pollTime {
		time.Sleep(pollTime)
	}
	now, err := t.read()
	if text, err2 := json.Marshal(mark{now.sum, t.Now().Add(restTime)}); errors.Join(err, err2) == nil {
		_ = disk.WriteFile(filepath.Join(t.Dir, markName), text) // without it codex is asked once more
	}
	return now, err
}
