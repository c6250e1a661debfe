//go:build unix

package bridge

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/lockedfile"
	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/account/login"
	"swop/internal/disk"
	"swop/internal/say"
)

const openAIPath = "/v1"

// openLogin opens the way of codex with an API key.
func (s *Session) openLogin(socket *way) error {
	standIn, err := s.loginStandIn(socket)
	if err != nil {
		return err
	}
	c := socket.forCodex(openAIPath, standIn)
	if c.Token.Login {
		c.file = authFile(standIn)
	}
	s.login = c
	return s.lead(c, c, 1)
}

// forCodex returns the way of codex's own requests to the bridge, whose paths begin with path. The stand-in in codex's auth.json, which
// codex sends as its key or token, proves that a request is the session's.
func (w *way) forCodex(path, standIn string) *way {
	c := *w
	c.prefix, c.header, c.proof = path, "Authorization", standIn
	c.stranger = "only codex with the auth.json that swop wrote for this session is let through here"
	return &c
}

// loginStandIn returns the stand-in that codex sends as its key.
func (s *Session) loginStandIn(b *way) (string, error) {
	if !b.Token.Login {
		return s.standIn()
	}
	if _, err := b.source.Token(s.life, ""); err != nil {
		return "", err
	}
	var key string
	err := s.storeStandIn(func(former []byte) ([]byte, error) {
		var ok bool
		if key, ok = login.APIKey(former); !ok {
			key = login.StandInKey + rand.Text()
		}
		return authFile(key), nil
	})
	return key, err
}

// storeStandIn stores the stand-in for the account's own login beside the home: all sessions of the account have the same auth.json. renew
// gets the former stand-in, nil for none, and returns the new one.
func (s *Session) storeStandIn(renew func(former []byte) ([]byte, error)) error {
	file := filepath.Join(s.options.Sandbox, "stand-in.json")
	unlock, err := lockedfile.MutexAt(file + ".lock").Lock()
	if err != nil {
		return err
	}
	defer unlock()
	former, err := disk.ReadOwn(file, login.MaxAuth)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := renew([]byte(former))
	if err != nil || string(text) == former {
		return err
	}
	return disk.WriteFile(file, text)
}

// AuthFile returns the text of the session's auth.json, nil if the session has the account's own.
func (s *Session) AuthFile() []byte {
	if s.login == nil {
		return nil
	}
	return s.login.file
}

// authFile returns an auth.json with a key.
func authFile(key string) []byte { return []byte(`{"OPENAI_API_KEY":"` + key + `"}`) }

// standIn returns the stand-in in the account's auth.json, which it makes if it is missing. A login there is an error.
func (s *Session) standIn() (string, error) {
	file := s.options.AuthFile
	text, err := disk.ReadOwn(file, login.MaxAuth)
	key, ok := login.APIKey([]byte(text))
	ours := err == nil && (text == "" || login.IsStandIn([]byte(text)))
	switch {
	case ours && ok:
		return key, nil
	case ours, errors.Is(err, fs.ErrNotExist):
		key = login.StandInKey + rand.Text()
		return key, s.writeStandIn(authFile(key))
	case err != nil:
		return "", err
	}
	err = fmt.Errorf("account %q is logged in here, but config.toml says its login is elsewhere", s.options.Label)
	return "", say.WithHint(err, "log out first: codex swop logout "+say.ShellQuote(s.options.Label))
}

// writeStandIn makes that file, by no link: a session may lead the way in its home elsewhere. An empty one is of a killed run.
func (s *Session) writeStandIn(text []byte) error {
	dir, err := disk.OpenBelow(s.options.Sandbox, filepath.Dir(s.options.AuthFile))
	if err != nil {
		return err
	}
	defer dir.Close()
	name := filepath.Base(s.options.AuthFile)
	if is, err := dir.Stat(name); err == nil && is.IsRegular() && is.Size == 0 {
		_ = dir.Unlink(name) // else it cannot be made
	}
	fd, err := unix.Openat(dir.Fd(), name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return dir.Err("make", name, err)
	}
	f := os.NewFile(uintptr(fd), name)
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = dir.Unlink(name) // a part of it would look like a login
	}
	return err
}

// The variables with the addresses for codex's requests: to the model, and to the backend of a ChatGPT login. Those of a bridge end in _URL
// or _SOCKET, whatever its name.
const (
	baseVariable    = "SWOP_BRIDGE_LOGIN"
	backendVariable = "SWOP_BRIDGE_BACKEND"
)

// loginEnv leads codex to the bridge: up to 0.92 by OPENAI_BASE_URL, later by an argument; see [LeadCodex].
func (c *way) loginEnv(env config.Env) config.Env {
	base := fmt.Sprintf("http://127.0.0.1:%d%s", c.ports[0], c.prefix)
	if len(c.ports) > 1 {
		env = env.With(backendVariable, fmt.Sprintf("http://127.0.0.1:%d%s", c.ports[1], c.prefix))
		base += modelPath
	}
	return env.With(baseVariable, base).With("OPENAI_BASE_URL", base)
}

// LeadCodex returns the arguments of codex, with those that lead its requests to the session's bridge if the environment names one. They
// also stop codex from starting a background server, which would go on with the address of a session that has ended.
func LeadCodex(args []string, env config.Env) []string {
	base := env.Value(baseVariable)
	if base == "" || len(args) == 0 {
		return args
	}
	lead := []string{"-c", `openai_base_url="` + base + `"`, "-c", "features.daemon_auto_start=false"}
	if backend := env.Value(backendVariable); backend != "" {
		lead = append(lead, "-c", `chatgpt_base_url="`+backend+`"`)
		for _, key := range unbridged {
			lead = append(lead, "-c", key+"=false")
		}
	}
	return slices.Insert(slices.Clone(args), 1, lead...)
}

// unbridged are parts of codex whose requests the bridge refuses: without them codex does not warn of refusals.
var unbridged = []string{"features.plugins", "features.apps", "features.remote_plugin", "analytics.enabled"}
