// Package chatgpt plays OpenAI's login server, so that the real `codex login` can be tested with its browser and without OpenAI.
//
// It is an HTTPS proxy on loopback that answers for OpenAI's hosts itself, with a certificate of its own authority, and forwards
// nothing. The browser is a script that leaves the address which it was given; Browse does what a person would do there.
package chatgpt

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// The hosts that are answered for: the login server, and the one that tells codex of the account.
const (
	issuer  = "auth.openai.com"
	backend = "chatgpt.com"
)

// A Server gives a login with the next e-mail address to everyone who asks.
type Server struct {
	dir    string
	proxy  *httptest.Server
	secure *httptest.Server // for what comes through the proxy

	closing sync.Once
	ended   chan struct{} // closed by Close

	mu     sync.Mutex
	logins int
	limits map[string]Limits
	asked  []string

	model   *url.URL        // see SetModel
	issued  map[int]*issued // by the number of the login
	renewed []Renewal
	delay   time.Duration // of renewals
	paths   []string
}

// Limits are those of an account, as the backend tells them.
type Limits struct {
	Status  int // of the answer, 0 for 200, [NoAnswer] for none at all
	Short   int // percent used of five hours
	Long    int // percent used of a week
	Resets  time.Time
	Week    time.Time // when the week is reset, the zero time for Resets
	Reached string    // the kind of limit that is reached
}

// NoAnswer keeps codex waiting for four seconds, or until the server is closed.
const NoAnswer = -1

// SetLimits gives the account of the nth login its limits. Without, the backend answers 404.
func (s *Server) SetLimits(n int, l Limits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.limits == nil {
		s.limits = map[string]Limits{}
	}
	s.limits[accountID(n)] = l
}

// Asked returns the ids of the accounts whose limits were asked for, oldest first.
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// Auth is the auth.json of the nth login, from 1.
func Auth(n int) string { return authFile(n, jwt(n), fmt.Sprint("refresh-", n)) }

func authFile(n int, access, refresh string) string {
	return encode(map[string]any{
		"auth_mode": "chatgpt", "OPENAI_API_KEY": nil, "last_refresh": time.Now().UTC().Format(time.RFC3339),
		"tokens": map[string]string{"id_token": jwt(n), "access_token": access, "refresh_token": refresh, "account_id": accountID(n)},
	})
}

// encode returns what can always be encoded.
func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func accountID(n int) string { return fmt.Sprint("account-", n) }

// Start returns a server whose files are in dir. The caller closes it.
func Start(dir string) (*Server, error) {
	s := &Server{dir: dir, ended: make(chan struct{})}
	cert, err := authority(filepath.Join(dir, "ca.pem"), issuer, backend)
	if err != nil {
		return nil, err
	}
	browser := fmt.Sprintf("#!/bin/sh\nprintf '%%s' \"$1\" >'%[1]s.new' && mv '%[1]s.new' '%[1]s'\n", s.address())
	if err := os.WriteFile(s.browser(), []byte(browser), 0o700); err != nil {
		return nil, err
	}
	s.proxy = httptest.NewServer(http.HandlerFunc(s.serve))
	s.secure = httptest.NewUnstartedServer(http.HandlerFunc(s.answer))
	s.secure.TLS, s.secure.Config.ErrorLog = &tls.Config{Certificates: []tls.Certificate{cert}}, log.New(io.Discard, "", 0)
	s.secure.StartTLS()
	return s, nil
}

// Close stops the server; it may be called twice.
func (s *Server) Close() {
	s.closing.Do(func() { close(s.ended) })
	s.proxy.Close()
	s.secure.Close()
}

func (s *Server) browser() string { return filepath.Join(s.dir, "browser") }

func (s *Server) address() string { return filepath.Join(s.dir, "address") }

// Env is what makes codex ask this server and this browser.
func (s *Server) Env() []string {
	return []string{"HTTPS_PROXY=" + s.proxy.URL, "CODEX_CA_CERTIFICATE=" + filepath.Join(s.dir, "ca.pem"), "BROWSER=" + s.browser()}
}

// Config is a line of a config.toml with which a codex before 0.128 asks this server, whose authority it does not take.
func (s *Server) Config() string {
	return fmt.Sprintf("chatgpt_base_url = %q\n", s.proxy.URL+"/backend-api/")
}

// Token is the access token of the nth login, from 1.
func Token(n int) string { return jwt(n) }

// Email is the address of the nth login, from 1.
func Email(n int) string { return fmt.Sprintf("me%d@example.com", n) }

// Browse follows the address that codex has opened, once, if it has: it agrees, and is sent back to codex.
func (s *Server) Browse() error {
	address, err := os.ReadFile(s.address())
	if os.IsNotExist(err) {
		return nil
	}
	if err == nil {
		err = os.Remove(s.address())
	}
	if err != nil {
		return err
	}
	asked, err := url.Parse(string(address))
	if err != nil {
		return err
	}
	q := asked.Query()
	if asked.Host != issuer || q.Get("code_challenge") == "" {
		return fmt.Errorf("codex opens %s, which is no login", asked)
	}
	back, err := http.Get(q.Get("redirect_uri") + "?code=c&state=" + url.QueryEscape(q.Get("state")))
	if err != nil {
		return err
	}
	defer back.Body.Close()
	if back.StatusCode != http.StatusOK {
		return fmt.Errorf("codex answers the browser with %s", back.Status)
	}
	return nil
}

// serve is the proxy.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method != http.MethodConnect && (strings.HasPrefix(r.URL.Path, "/backend-api/") || r.URL.Path == "/oauth/token"):
		s.answer(w, r)
	case r.Host == issuer+":443" || r.Host == backend+":443":
		s.tunnel(w)
	default:
		http.Error(w, "no network here", http.StatusBadGateway)
	}
}

// tunnel leads a connection to the server with a certificate.
func (s *Server) tunnel(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	to, err := net.Dial("tcp", s.secure.Listener.Addr().String())
	if err != nil {
		return
	}
	defer to.Close()
	_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n") // codex may have gone, here and below
	go func() {
		_, _ = io.Copy(to, conn)
		to.Close()
	}()
	_, _ = io.Copy(conn, to)
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	if s.isBackend(w, r) {
		return
	}
	status, body := s.about(r)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // codex may have gone
}

// about answers one request. Codex can do without anything else that it asks for: an API key, plugins, usage, to revoke a login.
func (s *Server) about(r *http.Request) (int, any) {
	if r.URL.Path == "/oauth/token" && strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		return s.renew(r)
	}
	err := r.ParseForm()
	switch {
	case err == nil && r.URL.Path == "/oauth/token" && r.Form.Get("grant_type") == "authorization_code":
		return s.token()
	case r.URL.Path == "/backend-api/wham/accounts/check": // without an answer 0.169's terminal interface does not start
		return workspace(r.Header.Get("ChatGPT-Account-Id"))
	case r.URL.Path == "/backend-api/wham/usage":
		return s.usage(r.Header.Get("ChatGPT-Account-Id"))
	}
	return http.StatusNotFound, map[string]string{"error": "not_found"}
}

// workspace says that the account's requests go where all do.
func workspace(acct string) (int, any) {
	return http.StatusOK, map[string]any{"account_ordering": []string{acct}, "accounts": []map[string]string{
		{"id": acct, "workspace_backend_origin": "NO_CONSTRAINT", "account_routing_override": "NO_CONSTRAINT"},
	}}
}

// limitsOf returns the limits of an account that asks for them.
func (s *Server) limitsOf(acct string) (Limits, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, acct)
	l, ok := s.limits[acct]
	return l, ok
}

// usage tells an account its limits.
func (s *Server) usage(acct string) (int, any) {
	l, ok := s.limitsOf(acct)
	if l.Status == NoAnswer {
		select {
		case <-s.ended:
		case <-time.After(4 * time.Second):
		}
		ok = false
	}
	switch {
	case !ok:
		return http.StatusNotFound, map[string]string{"error": "not_found"}
	case l.Status != 0:
		return l.Status, map[string]string{"error": "secret-of-the-server"}
	}
	if l.Week.IsZero() {
		l.Week = l.Resets
	}
	window := func(used, seconds int, resets time.Time) map[string]any {
		after := int(time.Until(resets).Seconds())
		return map[string]any{"used_percent": used, "limit_window_seconds": seconds, "reset_after_seconds": after, "reset_at": resets.Unix()}
	}
	var reached any
	if l.Reached != "" {
		reached = map[string]string{"type": l.Reached}
	}
	return http.StatusOK, map[string]any{
		"plan_type": "plus", "credits": map[string]any{"has_credits": false, "unlimited": false, "balance": nil},
		"rate_limit": map[string]any{
			"allowed": l.Short < 100 && l.Long < 100, "limit_reached": l.Short >= 100 || l.Long >= 100,
			"primary_window": window(l.Short, 5*60*60, l.Resets), "secondary_window": window(l.Long, 7*24*60*60, l.Week),
		},
		"rate_limit_reached_type": reached,
	}
}

// token gives the next login.
func (s *Server) token() (int, any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logins++
	return http.StatusOK, map[string]string{
		"id_token": jwt(s.logins), "access_token": jwt(s.logins),
		"refresh_token": fmt.Sprint("refresh-", s.logins),
	}
}

// jwt is a token that nobody has signed: codex believes the server that gave it.
func jwt(n int) string { return signed(n, map[string]any{"email": Email(n), "exp": 4102444800}) }

// signed is a token of the nth login with these claims.
func signed(n int, claims map[string]any) string {
	claims["https://api.openai.com/auth"] = map[string]string{
		"chatgpt_plan_type": "plus", "chatgpt_account_id": accountID(n),
		"chatgpt_user_id": fmt.Sprint("user-", n),
	}
	return "eyJhbGciOiJub25lIn0." + base64.RawURLEncoding.EncodeToString([]byte(encode(claims))) + ".c2VjcmV0LXNpZ25hdHVyZQ"
}
