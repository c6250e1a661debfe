package chatgpt

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"swop/internal/account/login"
)

// claims are the claims of a token that codex reads.
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

// accessOf returns the access token in an auth.json with a ChatGPT login.
func accessOf(text []byte) (string, error) {
	var auth struct {
		Tokens struct {
			Access string `json:"access_token"`
		} `json:"tokens"`
	}
	if json.Unmarshal(text, &auth) != nil || auth.Tokens.Access == "" { // the error may quote the text
		return "", errors.New("the account's auth.json has no ChatGPT login")
	}
	return auth.Tokens.Access, nil
}

// StandIn is the auth.json of a session in the place of a login.
type StandIn struct {
	File    []byte // the text
	Token   string // that codex sends: the session's secret
	Account string // OpenAI's id of the account, which codex sends, too
}

// life is the validity of a stand-in. Codex never renews it: 0.92 looks at the time of the last renewal, which lies as far ahead.
const life = 10 * 365 * 24 * time.Hour

// OfToken returns an auth.json with an access token alone.
func OfToken(token string) []byte {
	// strings are always encoded
	text, _ := json.Marshal(map[string]any{"tokens": map[string]string{"id_token": token, "access_token": token}})
	return text
}

// NewStandIn returns a stand-in for the login in text, an auth.json, with this e-mail address. It has the account's plan and ids, so that
// transcripts name the same creator. Its signature is none, which codex does not check. Its secret and times are those of former, the
// auth.json of an earlier stand-in, unless half of that one's life is over.
func NewStandIn(text []byte, now time.Time, email string, former []byte) (StandIn, error) {
	access, err := accessOf(text)
	if err != nil {
		return StandIn{}, err
	}
	c := claims{Email: email, Expiry: now.Add(life).Unix(), Session: rand.Text()}
	if access, err := accessOf(former); err == nil {
		if f := login.Claims[claims](access); f.Session != "" && f.Expiry > now.Add(life/2).Unix() {
			c.Expiry, c.Session = f.Expiry, f.Session
		}
	}
	for _, source := range [][]byte{text, OfToken(access)} {
		who := login.ParseIdentity(source)
		c.Auth.Plan = cmp.Or(c.Auth.Plan, login.ParseLogin(source).Plan)
		c.Auth.Account, c.Auth.User = cmp.Or(c.Auth.Account, who.Account), cmp.Or(c.Auth.User, who.User)
	}
	if c.Auth.Account == "" {
		return StandIn{}, errors.New("this is not a ChatGPT login: it names no account")
	}
	payload, err := json.Marshal(c)
	if err != nil {
		return StandIn{}, err
	}
	encode := base64.RawURLEncoding.EncodeToString
	token := encode([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + encode(payload) + "." + encode([]byte(login.StandInSignature))
	file, err := json.Marshal(map[string]any{
		"auth_mode": "chatgpt", "OPENAI_API_KEY": nil, "last_refresh": time.Unix(c.Expiry, 0).UTC().Format(time.RFC3339),
		"tokens": map[string]string{"id_token": token, "access_token": token, "refresh_token": "", "account_id": c.Auth.Account},
	})
	return StandIn{file, token, c.Auth.Account}, err
}

// CheckPath is the path, below the backend's address, at which codex asks since 0.158 for the address of an account's requests. The
// server's answer would lead codex past the bridge, and after an error codex hides the reason: so the bridge itself answers.
const CheckPath = "/wham/accounts/check"

// Check is the answer that there is no constraint for the account.
func Check(account string) []byte {
	const origin = "https://chatgpt.com"    // codex takes it for its own server's, and leaves an address of another origin alone
	text, _ := json.Marshal(map[string]any{ // strings are always encoded
		"account_ordering": []string{account},
		"accounts": []map[string]string{
			{"id": account, "workspace_backend_origin": origin, "account_routing_override": "NO_CONSTRAINT"},
		},
	})
	return text
}
