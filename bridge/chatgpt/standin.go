package chatgpt

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// auth is what is read of an auth.json with a ChatGPT login. It is never printed.
type auth struct {
	Tokens struct {
		ID      string `json:"id_token"`
		Access  string `json:"access_token"`
		Account string `json:"account_id"`
	} `json:"tokens"`
}

// claims are what codex reads of a token.
type claims struct {
	Email   string `json:"email,omitempty"`
	Expiry  int64  `json:"exp,omitempty"` // seconds since 1970
	Session string `json:"jti,omitempty"`
	Auth    struct {
		Plan    string `json:"chatgpt_plan_type,omitempty"`
		Account string `json:"chatgpt_account_id,omitempty"`
		User    string `json:"chatgpt_user_id,omitempty"`
	} `json:"https://api.openai.com/auth"`
}

var errNoLogin = errors.New("the account's auth.json has no ChatGPT login")

func parse(text []byte) (a auth, err error) {
	if json.Unmarshal(text, &a) != nil || a.Tokens.Access == "" { // the error may quote the text
		return a, errNoLogin
	}
	return a, nil
}

// claimsOf returns the claims of a token, empty where it cannot be read.
func claimsOf(token string) (c claims) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return c
	}
	text, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil || json.Unmarshal(text, &c) != nil {
		return claims{}
	}
	return c
}

// StandIn is what a session has in the place of a login.
type StandIn struct {
	File    []byte // its auth.json
	Token   string // what codex sends then: the session's secret
	Account string // OpenAI's id of the account, which codex sends too
}

// life is how long a stand-in says that it is valid. Codex never renews it: 0.92 looks at the time of the last renewal, which lies as far ahead.
const life = 10 * 365 * 24 * time.Hour

// NewStandIn returns a stand-in for the login in an auth.json. Codex reads the account's plan and ids in it, so that transcripts name the same
// creator, and the address if email is wanted. Nobody has signed it: codex believes the file.
func NewStandIn(text []byte, now time.Time, address Address) (StandIn, error) {
	a, err := parse(text)
	if err != nil {
		return StandIn{}, err
	}
	return a.standIn(now, address)
}

// StandInFor is NewStandIn for an access token that does not lie in a file.
func StandInFor(token string, now time.Time, address Address) (StandIn, error) {
	var a auth
	a.Tokens.Access = token
	if claimsOf(token).Auth.Account == "" {
		return StandIn{}, errors.New("the token is not an access token of ChatGPT: it does not name an account")
	}
	return a.standIn(now, address)
}

func (a auth) standIn(now time.Time, address Address) (StandIn, error) {
	own, access := claimsOf(a.Tokens.ID), claimsOf(a.Tokens.Access)
	c := claims{Expiry: now.Add(life).Unix(), Session: rand.Text()}
	if address == WithAddress {
		c.Email = cmp.Or(own.Email, access.Email)
	}
	c.Auth.Plan = cmp.Or(own.Auth.Plan, access.Auth.Plan)
	c.Auth.Account = cmp.Or(a.Tokens.Account, own.Auth.Account, access.Auth.Account)
	c.Auth.User = cmp.Or(own.Auth.User, access.Auth.User)
	payload, err := json.Marshal(c)
	if err != nil {
		return StandIn{}, err
	}
	encode := base64.RawURLEncoding.EncodeToString
	token := encode([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + encode(payload) + "." + encode([]byte(signature))
	file, err := json.Marshal(map[string]any{
		"auth_mode": "chatgpt", "OPENAI_API_KEY": nil, "last_refresh": now.Add(life).UTC().Format(time.RFC3339),
		"tokens": map[string]string{"id_token": token, "access_token": token, "refresh_token": "", "account_id": c.Auth.Account},
	})
	return StandIn{file, token, c.Auth.Account}, err
}

// signature is in the place of one in a stand-in's token.
const signature = "swop"

// IsStandIn reports whether an auth.json holds a stand-in, and no login.
func IsStandIn(text []byte) bool {
	a, err := parse(text)
	return err == nil && strings.HasSuffix(a.Tokens.Access, "."+base64.RawURLEncoding.EncodeToString([]byte(signature)))
}

// Address says whether a stand-in has the account's e-mail address, which codex shows in /status.
type Address int

// The two.
const (
	WithAddress Address = iota
	WithoutAddress
)
