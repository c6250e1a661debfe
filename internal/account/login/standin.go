package login

import (
	"encoding/base64"
	"strings"

	"swop/internal/account"
)

// The marks of a stand-in for a login: the beginning of its key, and the signature of its tokens.
const (
	StandInKey       = "sk-swop-bridge-"
	StandInSignature = "swop"
)

// IsStandIn reports whether an auth.json holds a stand-in for a login that is elsewhere.
func IsStandIn(text []byte) bool {
	if key, ok := APIKey(text); ok {
		return strings.HasPrefix(key, StandInKey)
	}
	auth, ok := parseAuth(text)
	if !ok || auth.Tokens == nil {
		return false
	}
	token, _ := auth.Tokens.IDToken.(string) // any other type is no token
	return strings.HasSuffix(token, "."+base64.RawURLEncoding.EncodeToString([]byte(StandInSignature)))
}

// HoldsStandIn reports whether the account has a stand-in in the place of a login.
func HoldsStandIn(a account.Account) bool {
	text, err := readAuth(a.AuthFile())
	return err == nil && IsStandIn(text)
}
