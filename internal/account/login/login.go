// Package login reads an account's login for display, and the demands of codex's configuration on it.
package login

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
)

// Login is an account's login as it may be shown: without a token.
type Login struct {
	// Mode is "chatgpt", "api-key", "keyring", "none", "other", "unreadable", or "unknown" where codex's configuration, which cannot be
	// read, may name the keyring.
	Mode  string `json:"mode"`
	Email string `json:"email,omitempty"`
	Plan  string `json:"plan,omitempty"`
	// Organization is the name of the login's workspace, as codex has told it, else the title of the login's default organization.
	Organization string `json:"organization,omitempty"`
	// Workspace is the beginning of the workspace's id, where nothing else tells the login from another one of its address.
	Workspace string `json:"workspace,omitempty"`
	// Changed says that the account had another user's login at its last start, or one of another workspace.
	Changed bool `json:"changed,omitempty"`
}

// Text returns the login for people: the address with plan and workspace as far as they are known, or else the mode.
func (l Login) Text() string {
	if of := l.Of(); l.Email != "" && of != "" {
		return l.Email + " (" + of + ")"
	}
	if l.Mode == "api-key" {
		return "API key"
	}
	return cmp.Or(l.Email, l.Mode)
}

// Of returns the login's plan and workspace, as far as they are known, for people.
func (l Login) Of() string {
	return strings.Join(slices.DeleteFunc([]string{l.Plan, l.Organization, l.Workspace}, func(s string) bool { return s == "" }), ", ")
}

// shownID is how much is shown of a workspace's id.
const shownID = 8

// TellApart gives logins that read alike, though they are in several workspaces, the beginning of the workspace's id. identity returns
// whose the login with an index is.
func TellApart(all []Login, identity func(int) Identity) {
	alike := map[string][]int{}
	for i, l := range all {
		if l.Mode == "chatgpt" && l.Email != "" {
			alike[l.Text()] = append(alike[l.Text()], i)
		}
	}
	for _, group := range alike {
		first := identity(group[0]).Account
		if slices.ContainsFunc(group, func(i int) bool { return identity(i).Account != first }) {
			for _, i := range group {
				all[i].Workspace = Printable(identity(i).Account, shownID)
			}
		}
	}
}

// Identity is the owner of a ChatGPT login, in OpenAI's ids, which are compared and never shown. It is zero for any other login.
type Identity struct{ Account, User string }

// Digest returns a sum by which two identities are told apart, "" for the zero one.
func (i Identity) Digest() string {
	if i == (Identity{}) {
		return ""
	}
	sum := sha256.Sum256([]byte(i.Account + "\x00" + i.User))
	return hex.EncodeToString(sum[:16])
}

// ParseIdentity returns the owner of the login in an auth.json.
func ParseIdentity(text []byte) Identity {
	auth, ok := parseAuth(text)
	if !ok || auth.mode() != "chatgpt" {
		return Identity{}
	}
	claims := auth.claims()
	return Identity{cmp.Or(auth.Tokens.AccountID, claims.Auth.Workspace), claims.Auth.User}
}

// maxShown bounds a claim for display, in bytes.
const maxShown = 120

// ParseLogin reads the contents of an auth.json for display. A text that it cannot read gives the mode "unreadable". The claims come from
// an id token whose signature is not checked: control characters are removed.
func ParseLogin(text []byte) Login {
	auth, ok := parseAuth(text)
	switch {
	case !ok:
		return Login{Mode: "unreadable"}
	case isEmpty(text), IsStandIn(text):
		return Login{Mode: "none"}
	case auth.mode() == "":
		return Login{Mode: "other"}
	case auth.mode() == "api-key":
		return Login{Mode: "api-key"}
	}
	claims := auth.claims()
	email := cmp.Or(claims.Email, claims.Profile.Email)
	return Login{
		Mode: "chatgpt", Email: Printable(email, maxShown), Plan: Printable(claims.Auth.Plan, maxShown),
		Organization: Printable(claims.organization(), maxShown),
	}
}

// isEmpty reports whether a text of JSON has no other values than a login's mode and the time of its renewal.
func isEmpty(text []byte) bool {
	var all any
	_ = json.Unmarshal(text, &all) // the caller has parsed it
	return !holdsText(all)
}

func holdsText(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		for key, of := range v {
			if key != "auth_mode" && key != "last_refresh" && holdsText(of) {
				return true
			}
		}
		return false
	case []any:
		return slices.ContainsFunc(v, holdsText)
	}
	return value != nil && value != ""
}

// MayBeInKeyring reports whether the login may be in the system's keyring.
func (l Login) MayBeInKeyring() bool { return l.Mode == "keyring" || l.Mode == "unknown" }

// authFile has the fields of an auth.json that swop reads.
type authFile struct {
	AuthMode any     `json:"auth_mode"` // "apikey" or "chatgpt", in recent releases
	APIKey   *string `json:"OPENAI_API_KEY"`
	Tokens   *struct {
		IDToken   any    `json:"id_token"`
		AccountID string `json:"account_id"`
	} `json:"tokens"`
}

func parseAuth(text []byte) (auth authFile, ok bool) {
	text = bytes.TrimSpace(text)
	return auth, len(text) > 0 && json.Unmarshal(text, &auth) == nil
}

// mode is the kind of login that codex takes it for: "api-key", "chatgpt", or "" for none.
func (a authFile) mode() string {
	key := a.APIKey != nil && *a.APIKey != ""
	switch {
	case key && (a.AuthMode == "apikey" || a.Tokens == nil):
		return "api-key"
	case a.Tokens != nil:
		return "chatgpt"
	}
	return ""
}

// APIKey returns the key that an auth.json holds. ok is false for a login of any other kind.
func APIKey(text []byte) (key string, ok bool) {
	auth, ok := parseAuth(text)
	if !ok || auth.mode() != "api-key" {
		return "", false
	}
	return *auth.APIKey, true
}

// idClaims are the claims of an id token that are shown or compared.
type idClaims struct {
	Email   string `json:"email"`
	Profile struct {
		Email string `json:"email"`
	} `json:"https://api.openai.com/profile"`
	Auth struct {
		Plan      string `json:"chatgpt_plan_type"`
		Workspace string `json:"chatgpt_account_id"`
		User      string `json:"chatgpt_user_id"`

		Organizations json.RawMessage `json:"organizations"`
	} `json:"https://api.openai.com/auth"`
}

// organization returns the title of the default organization, or of the only one.
func (c idClaims) organization() string {
	var all []struct {
		Title   string `json:"title"`
		Default bool   `json:"is_default"`
	}
	if json.Unmarshal(c.Auth.Organizations, &all) != nil {
		return ""
	}
	for _, o := range all {
		if o.Default || len(all) == 1 {
			return o.Title
		}
	}
	return ""
}

// claims returns the claims of the id token, empty where it cannot be read.
func (a authFile) claims() (claims idClaims) {
	if a.Tokens == nil {
		return claims
	}
	jwt, _ := a.Tokens.IDToken.(string) // any other type is no token
	return Claims[idClaims](jwt)
}

// Claims returns the claims of a token, of which T has some: empty where they cannot be read. The signature is not checked.
func Claims[T any](token string) (claims T) {
	var none T
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return none
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil || json.Unmarshal(payload, &claims) != nil {
		return none
	}
	return claims
}

// Printable returns s without characters on which a terminal acts, cut to a number of bytes.
func Printable(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
