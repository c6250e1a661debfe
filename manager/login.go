package manager

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"unicode"
)

// Login is what may be shown of an account's login: never a token.
type Login struct {
	Mode  string // "chatgpt", "api-key", "keyring", "none" or "unreadable"
	Email string
	Plan  string
}

// maxShown bounds what is shown of a claim, in bytes.
const maxShown = 120

// ParseLogin reads the contents of an auth.json for display. It never fails: what cannot be read is said to be so. The claims come
// from an id token whose signature is not checked, so control characters are taken out.
func ParseLogin(text []byte) Login {
	var auth struct {
		APIKey *string `json:"OPENAI_API_KEY"`
		Tokens *struct {
			IDToken json.RawMessage `json:"id_token"`
		} `json:"tokens"`
	}
	text = bytes.TrimSpace(text)
	if len(text) == 0 || json.Unmarshal(text, &auth) != nil {
		return Login{Mode: "unreadable"}
	}
	if auth.Tokens != nil {
		email, plan := idClaims(auth.Tokens.IDToken)
		return Login{"chatgpt", printable(email), printable(plan)}
	}
	if auth.APIKey != nil && *auth.APIKey != "" {
		return Login{Mode: "api-key"}
	}
	return Login{Mode: "other"}
}

func idClaims(token json.RawMessage) (email, plan string) {
	var jwt string
	if json.Unmarshal(token, &jwt) != nil {
		return "", ""
	}
	parts := strings.Split(jwt, ".")
	if len(parts) != 3 {
		return "", ""
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return "", ""
	}
	var claims struct {
		Email   string `json:"email"`
		Profile struct {
			Email string `json:"email"`
		} `json:"https://api.openai.com/profile"`
		Auth struct {
			Plan string `json:"chatgpt_plan_type"`
		} `json:"https://api.openai.com/auth"`
	}
	if json.Unmarshal(payload, &claims) != nil {
		return "", ""
	}
	if claims.Email == "" {
		claims.Email = claims.Profile.Email
	}
	return claims.Email, claims.Auth.Plan
}

func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	if len(s) > maxShown {
		s = strings.ToValidUTF8(s[:maxShown], "") + "…"
	}
	return s
}
