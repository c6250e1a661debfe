//go:build unix

package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/net/netutil"

	"swop/config"
	"swop/internal/account/rpc"
	"swop/internal/bridge/request"
	"swop/internal/disk"
	"swop/internal/say"
	"swop/internal/session/socket"
)

// Options are the account, the bridges and the environment of a session.
type Options struct {
	config.Places
	Account  string // its key
	Label    string
	Sandbox  string // its directory
	Bridges  config.Bridges
	Commands []config.HostCommand
	AuthFile string     // the path of the account's login
	Env      config.Env // outside of the session
	Secrets  []string   // the variables there that hold secrets of bridges
	Now      func() time.Time

	Helper string // the path of codex-swop, which runs as host commands by their names
	// Codex talks to a codex that renews the account's ChatGPT login; nil for none.
	Codex rpc.Talker
}

// Session are the bridges of one session. They are gone when it is closed.
type Session struct {
	options   Options
	directory Directory
	bridges   []*way // by their sockets
	github    *way   // of git, if there is a github bridge
	login     *way   // of codex, if there is a bridge for its own requests
	servers   []*http.Server
	Ports     []int           // of this machine, by which git and codex reach their bridges
	controls  socket.Server   // for host commands
	life      context.Context // ends with the session
	end       context.CancelFunc
	transport *http.Transport
	places    chan struct{} // one for each request that is sent on
	errors    *log.Logger   // for net/http's messages: it drops them, for they quote requests
}

// Start opens the bridges of a session.
func Start(o Options) (*Session, error) {
	s := &Session{
		options: o, transport: newTransport(), places: make(chan struct{}, maxRequests),
		errors: log.New(io.Discard, "", 0),
	}
	s.life, s.end = context.WithCancel(context.Background())
	if err := hide(); err != nil {
		return nil, err
	}
	var err error
	if s.directory, err = MakeDirectory(o.Root, ""); err != nil {
		return nil, err
	}
	for _, b := range o.Bridges {
		if err := s.open(b); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	err = s.controls.Listen(s.directory.Path, controlSocket, maxCallers, s.answer)
	if err = errors.Join(err, s.nameCommands()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// nameCommands makes a link to the helper for each host command, in a directory of the session's PATH.
func (s *Session) nameCommands() error {
	if len(s.options.Commands) == 0 {
		return nil
	}
	failed := []error{os.Mkdir(filepath.Join(s.directory.Path, commandsDir), 0o700)}
	for _, c := range s.options.Commands {
		failed = append(failed, os.Symlink(s.options.Helper, filepath.Join(s.directory.Path, commandsDir, c.Name)))
	}
	return errors.Join(failed...)
}

// commandsDir is the directory of the host commands, in the session's directory.
const commandsDir = "bin"

// IsCommand reports whether a program that was called as name is a host command of the session with this environment.
func IsCommand(env config.Env, name string) bool {
	dir := env.Value(DirVariable)
	if dir == "" || name != filepath.Base(name) {
		return false
	}
	_, err := os.Lstat(filepath.Join(dir, commandsDir, name))
	return err == nil
}

// open makes the ways to a bridge, and serves them.
func (s *Session) open(b config.Bridge) error {
	switch {
	case b.Kind == config.BridgeGitHub && s.github != nil, b.IsLogin() && s.login != nil:
		return fmt.Errorf("%q: only one GitHub bridge and one login bridge per account", b.Name)
	}
	w, err := s.newWay(b)
	if err != nil {
		return err
	}
	s.bridges = append(s.bridges, w)
	switch b.Kind {
	case config.BridgeGitHub:
		err = s.openGit(w)
	case config.BridgeOpenAI:
		err = s.openLogin(w)
	case config.BridgeChatGPT:
		err = s.openChatGPT(w)
	}
	if err != nil {
		return err
	}
	return s.serveAt(b.Name, w)
}

// serveAt serves a socket in the session's directory.
func (s *Session) serveAt(name string, h http.Handler) error {
	path := s.directory.socket(name)
	if len(path) > maxSocketPath {
		return say.WithHint(fmt.Errorf("%s: too long a path for a bridge's socket", path), "name a shorter directory in SWOP_ROOT")
	}
	l, err := net.Listen("unix", path)
	if err == nil {
		s.serve(l, h)
	}
	return err
}

// lead opens n ports of the loopback interface to a way. h serves the requests.
func (s *Session) lead(w *way, h http.Handler, n int) error {
	for range n {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return err
		}
		if addr, ok := l.Addr().(*net.TCPAddr); ok {
			w.ports = append(w.ports, addr.Port)
		}
		s.serve(l, h)
	}
	s.Ports = append(s.Ports, w.ports...)
	return nil
}

// serve takes one request from each connection: the rest of a body cannot be taken for another request.
func (s *Session) serve(l net.Listener, h http.Handler) {
	server := &http.Server{
		Handler: h, ErrorLog: s.errors, ReadHeaderTimeout: headTime, MaxHeaderBytes: maxHeader,
	}
	server.SetKeepAlivesEnabled(false)
	s.servers = append(s.servers, server)
	go func() { _ = server.Serve(netutil.LimitListener(l, maxConnections)) }() // until the server is closed
}

// Env returns env for the session: with the variables of the bridges, and without credentials that codex would prefer to a bridged login.
func (s *Session) Env(env config.Env) config.Env {
	if s.login != nil {
		env = env.WithoutCredentials()
	}
	path := Undo(env).Value("PATH")
	env = env.With(DirVariable, s.directory.Path)
	if len(s.options.Commands) > 0 {
		env = env.With("PATH", filepath.Join(s.directory.Path, commandsDir)+":"+path)
	}
	for _, b := range s.bridges {
		name := "SWOP_BRIDGE_" + strings.ToUpper(strings.ReplaceAll(b.Name, "-", "_"))
		socket := s.directory.socket(b.Name)
		env = env.With(name+"_URL", "http+unix://"+url.PathEscape(socket)).With(name+"_SOCKET", socket)
	}
	if s.github != nil {
		env = gitEnv(env, s.directory)
	}
	if s.login != nil {
		env = s.login.loginEnv(env)
	}
	return env
}

// Dir is the directory of the sockets, which the commands of the session must reach.
func (s *Session) Dir() string { return s.directory.Path }

// Undo returns env, the environment of a session's command, without the additions of [Session.Env].
func Undo(env config.Env) config.Env {
	dir := env.Value(DirVariable)
	if dir == "" {
		return env
	}
	var out config.Env
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		led := name == "OPENAI_BASE_URL" && value == env.Value(baseVariable) ||
			(name == "GH_CONFIG_DIR" || name == "GIT_CONFIG_SYSTEM") && config.Within(value, dir)
		if name == "PATH" {
			entry = "PATH=" + strings.TrimPrefix(value, filepath.Join(dir, commandsDir)+":")
		}
		if !led && !strings.HasPrefix(name, "SWOP_BRIDGE_") {
			out = append(out, entry)
		}
	}
	return out
}

// lastRequests is how long requests may go on after the end of the session.
const lastRequests = 500 * time.Millisecond

// Close ends requests and host commands, and removes the sockets.
func (s *Session) Close() error {
	var failed []error
	ctx, cancel := context.WithTimeout(context.Background(), lastRequests)
	defer cancel()
	for _, server := range s.servers {
		_ = server.Shutdown(ctx) // Close ends the rest
		failed = append(failed, disk.Ignore(server.Close(), net.ErrClosed, os.ErrNotExist))
	}
	failed = append(failed, s.controls.Close())
	s.end()
	s.controls.Wait() // host commands end in hostGrace
	s.transport.CloseIdleConnections()
	return errors.Join(append(failed, s.directory.Remove())...)
}

// enter waits for a place among the requests that are sent on.
func (s *Session) enter(ctx context.Context) (leave func(), no *request.Refusal) {
	select {
	case s.places <- struct{}{}:
		return func() { <-s.places }, nil
	case <-ctx.Done():
		return nil, request.Refuse(http.StatusServiceUnavailable, "too many requests at once; try again later")
	}
}
