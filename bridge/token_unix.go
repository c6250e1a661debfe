//go:build unix

package bridge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"swop/account/login"
	"swop/account/process"
	"swop/config"
	"swop/disk"
	"swop/say"
)

// The limits of a secret, in bytes. A short one would be found, and covered, in every answer.
const (
	minToken = 8
	maxToken = 8 << 10
)

// commandTime is how long the command of a secret may run. It has no terminal: one that asks gets no answer.
const commandTime = 30 * time.Second

// source is where the secret of a bridge comes from. No error of it has any of the secret in it.
type source struct {
	config.Token
	home string
	env  config.Env // outside of the session
	auth string     // the account's auth.json

	once    sync.Once // guards what the command printed
	printed string
	failed  error
}

// token returns the secret. A file is read for each request, so that it can be replaced; a command runs once in a session.
func (s *source) token(ctx context.Context) (string, error) {
	switch {
	case s.Env != "":
		token := s.env.Value(s.Env)
		if token == "" {
			return "", fmt.Errorf("%s is not set where codex was started", s.Env)
		}
		return checkToken("the value of "+s.Env, token)
	case s.File != "":
		return s.read()
	case s.Login:
		return s.login()
	}
	s.once.Do(func() { s.printed, s.failed = s.run(context.WithoutCancel(ctx)) })
	return s.printed, s.failed
}

func (s *source) read() (string, error) {
	file := config.InHome(s.home, s.File)
	var st syscall.Stat_t
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
	text, err := disk.ReadOwn(s.auth, 1<<20)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", say.WithHint(errors.New("the account has no login, which its bridge needs"), "codex swop login LABEL --with-api-key")
	case err != nil:
		return "", err
	}
	key, ok := login.APIKey([]byte(text))
	if !ok {
		err := errors.New("the account's login is no API key: a ChatGPT login cannot be bridged, for codex sends it to one address only")
		return "", say.WithHint(err, `remove login = "bridged", or log in with a key: codex swop login LABEL --with-api-key`)
	}
	return checkToken("the key in "+s.auth, key)
}

func (s *source) run(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	program := s.Command[0]
	if file, err := disk.OnPath(program, s.env.Value("PATH")); err == nil && filepath.IsAbs(file) {
		program = file
	}
	cmd := exec.CommandContext(ctx, program, s.Command[1:]...)
	cmd.Env, cmd.Dir = s.env, s.home
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.WaitDelay = time.Second
	out := process.Output{Max: maxToken + 1}
	cmd.Stdout = &out
	err := cmd.Run()
	name := fmt.Sprintf("the command of the token, %q,", s.Command[0])
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s did not end within %v", name, commandTime)
	case err != nil:
		return "", fmt.Errorf("%s failed: %w", name, err)
	}
	return checkToken("what "+name+" printed", strings.TrimSuffix(out.String(), "\n"))
}

// checkToken returns the secret if it can be one: it becomes a header.
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
