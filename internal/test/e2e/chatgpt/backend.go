package chatgpt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"time"
)

// issued is a login that the server keeps an eye on: its access token is the only one that is accepted, its refresh token works once.
type issued struct {
	access, refresh string
	generation      int
	life            time.Duration // of the tokens that a renewal gives
	refused         bool          // its access token is not accepted
	ended           bool          // it cannot be renewed
	all             []string      // tokens that it ever had
}

// SetModel names the server that plays the model, at the address of package responses.
func (s *Server) SetModel(address string) error {
	u, err := url.Parse(address)
	s.model = u
	return err
}

// Backend is the address of the backend, in place of https://chatgpt.com/backend-api.
func (s *Server) Backend() string { return s.proxy.URL + "/backend-api" }

// RenewalAt makes codex renew its login at this server, without TLS.
func (s *Server) RenewalAt() string {
	return "CODEX_REFRESH_TOKEN_URL_OVERRIDE=" + s.proxy.URL + "/oauth/token"
}

// Issue returns the auth.json of the nth login, whose access token is valid that long.
func (s *Server) Issue(n int, life time.Duration) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.issued == nil {
		s.issued = map[int]*issued{}
	}
	l := &issued{life: 10 * time.Hour}
	s.issued[n] = l
	l.next(n, life)
	return authFile(n, l.access, l.refresh)
}

func (l *issued) next(n int, life time.Duration) {
	l.generation++
	l.access = token(n, l.generation, life)
	l.refresh = fmt.Sprintf("rt-secret-%d-%d-%d", n, l.generation, time.Now().UnixNano())
	l.all = append(l.all, l.access, l.refresh)
	l.refused = false
}

// token is an access token of its own for each generation.
func token(n, generation int, life time.Duration) string {
	return signed(n, map[string]any{
		"exp": time.Now().Add(life).Unix(), "jti": fmt.Sprintf("at-secret-%d-%d-%d", n, generation, time.Now().UnixNano()),
	})
}

// Refuse makes the server refuse the access token that the nth login has now.
func (s *Server) Refuse(n int) { s.change(n, func(l *issued) { l.refused = true }) }

// End makes the server refuse to renew the nth login.
func (s *Server) End(n int) { s.change(n, func(l *issued) { l.ended, l.refused = true, true }) }

func (s *Server) change(n int, do func(*issued)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do(s.issued[n])
}

// Secrets are all tokens that the nth login ever had; the last access token is the one before the last.
func (s *Server) Secrets(n int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.issued[n].all)
}

// A Renewal is a request to renew a login.
type Renewal struct {
	Token        string
	Began, Ended time.Time
}

// Renewals is how many requests to renew a login there were.
func (s *Server) Renewals() int { return len(s.Renewed()) }

// Renewed are those requests, in the order of their ends.
func (s *Server) Renewed() []Renewal {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.renewed)
}

// DelayRenewals makes each renewal take that long.
func (s *Server) DelayRenewals(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delay = d
}

// Paths are what the backend was asked for: method and path.
func (s *Server) Paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.paths)
}

// renew gives new tokens for a refresh token, once.
func (s *Server) renew(r *http.Request) (int, any) {
	var q struct {
		Grant   string `json:"grant_type"`
		Refresh string `json:"refresh_token"`
	}
	began := time.Now()
	err := json.NewDecoder(r.Body).Decode(&q)
	s.mu.Lock()
	delay := s.delay
	s.mu.Unlock()
	time.Sleep(delay) // as a distant server would
	s.mu.Lock()
	defer s.mu.Unlock()
	s.renewed = append(s.renewed, Renewal{q.Refresh, began, time.Now()})
	for n, l := range s.issued {
		if err == nil && q.Grant == "refresh_token" && q.Refresh == l.refresh && !l.ended {
			l.next(n, l.life)
			return http.StatusOK, map[string]string{"id_token": jwt(n), "access_token": l.access, "refresh_token": l.refresh}
		}
	}
	return http.StatusUnauthorized, map[string]any{"error": map[string]string{"code": "refresh_token_reused", "message": "already used"}}
}

// isBackend answers a request to the backend under a login that was issued, and reports whether it did.
func (s *Server) isBackend(w http.ResponseWriter, r *http.Request) bool {
	if !strings.HasPrefix(r.URL.Path, "/backend-api/") || !s.watches() {
		return false
	}
	s.mu.Lock()
	s.paths = append(s.paths, r.Method+" "+r.URL.Path)
	s.mu.Unlock()
	bearer := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case !s.accepts(bearer):
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error":{"message":"the token is not valid","code":"token_expired"}}`)) // codex may have gone
	case r.Header.Get("Upgrade") != "":
		w.WriteHeader(http.StatusUpgradeRequired)
	case r.URL.Path == "/backend-api/codex/responses" && s.model != nil:
		body, err := io.ReadAll(r.Body)
		if err != nil {
			break // codex went away in mid-request
		}
		// net/http closes its own when the answer begins, and breaks off where its end was not read yet
		r.Body = io.NopCloser(bytes.NewReader(body))
		forward := httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(s.model)
			p.Out.URL.Path = "/v1/responses"
		}, FlushInterval: -1}
		forward.ServeHTTP(w, r)
	default:
		return false
	}
	return true
}

// watches reports whether any login was issued.
func (s *Server) watches() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.issued) > 0
}

func (s *Server) accepts(bearer string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.issued {
		if l.access == bearer {
			return !l.refused
		}
	}
	return false
}
