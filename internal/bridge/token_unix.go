//go:build unix

package bridge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"swop/config"
	"swop/internal/account/login"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/say"
)

// The limits of a secret, in bytes. A shorter one would be found, and covered, in every answer.
const (
	minToken = 8
	maxToken = 8 << 10
)

// tokens is the source of a bridge's secret.
type tokens interface {
	// Token returns the secret. refused is a secret that the service has just refused, "" for none: if Token returns it again, there is no
	// newer one. No error contains a part of the secret.
	Token(ctx context.Context, refused string) (string, error)
}

// source is the source that the configuration names.
type source struct {
	from    config.Token
	places  config.Places
	env     config.Env // outside of the session
	auth    string     // the account's auth.json
	printed printed
}

// Token returns the secret. A file is read for each request, so that the user can replace it; for a command see [printed].
func (s *source) Token(ctx context.Context, refused string) (string, error) {
	switch {
	case s.from.Env != "":
		token := s.env.Value(s.from.Env)
		if token == "" {
			return "", fmt.Errorf("%s is not set where codex was started", s.from.Env)
		}
		return checkToken("the value of "+s.from.Env, token)
	case s.from.File != "":
		return s.read()
	case s.from.Login:
		return s.login()
	}
	return s.printed.token(refused, func() (string, error) { return s.run(context.WithoutCancel(ctx)) })
}

func (s *source) read() (string, error) {
	file := config.InHome(s.places.Home, s.from.File)
	var st sys.Stat_t
	text, err := disk.ReadFileStat(file, 0, maxToken, &st)
	switch {
	case err != nil:
		return "", err
	case st.Mode&0o077 != 0:
		return "", fmt.Errorf("%s can be read by others: chmod 600 it", file)
	case int(st.Uid) != os.Geteuid():
		return "", fmt.Errorf("%s belongs to another user", file)
	}
	return checkToken(file, strings.TrimSuffix(text, "\n"))
}

// login returns the API key of the account's own login.
func (s *source) login() (string, error) {
	text, err := disk.ReadOwn(s.auth, login.MaxAuth)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", say.WithHint(errors.New("the account has no login, which its bridge needs"), "codex swop login LABEL --with-api-key")
	case err != nil:
		return "", err
	}
	key, ok := login.APIKey([]byte(text))
	if !ok {
		err := errors.New(`the account's login is no API key, which its bridge of the kind "openai" needs`)
		const other = `for a ChatGPT login write kind = "chatgpt", or login = "bridged" and no table`
		return "", say.WithHint(err, other+"; for a key: codex swop login LABEL --with-api-key")
	}
	return checkToken("the key in "+s.auth, key)
}

// BroadToken reports whether the token of a github bridge gives more than its rules, because it is no fine-grained one: gh's own, or a
// classic token or an OAuth app's, by the beginning that GitHub gives it. It runs a command that prints the token.
func BroadToken(b config.Bridge, places config.Places, env config.Env, now func() time.Time) bool {
	return isBroad(b, &source{from: b.Token, places: places, env: env, printed: printed{now: now}})
}

// Broad returns the names of the bridges whose tokens are broad: see [BroadToken].
func (s *Session) Broad() (names []string) {
	for _, w := range s.bridges {
		if isBroad(w.Bridge, w.source) {
			names = append(names, w.Name)
		}
	}
	return names
}

func isBroad(b config.Bridge, from tokens) bool {
	if b.Kind != config.BridgeGitHub || b.Token.Host {
		return b.Token.Host
	}
	token, err := from.Token(context.Background(), "")
	return err == nil && (strings.HasPrefix(token, "ghp_") || strings.HasPrefix(token, "gho_"))
}

// checkToken returns the secret if it can stand in a header; what names its source in an error.
func checkToken(what, token string) (string, error) {
	bad := func(r rune) bool { return r <= ' ' || r > '~' }
	switch {
	case token == "":
		return "", fmt.Errorf("%s is empty", what)
	case strings.ContainsFunc(token, bad):
		return "", fmt.Errorf("%s has a space, a second line, or a character that no token has", what)
	case len(token) < minToken || len(token) > maxToken:
		return "", fmt.Errorf("%s has fewer than %d characters, or more than %d", what, minToken, maxToken)
	}
	return token, nil
}
