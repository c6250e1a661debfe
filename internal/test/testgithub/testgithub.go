//go:build unix

// Package testgithub is a service that speaks as much of GitHub's REST, GraphQL and git as gh and git ask for.
package testgithub

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// Server has the repositories acme/app and other/app, which need the token.
type Server struct {
	*httptest.Server
	dir, token, backend string

	mu   sync.Mutex
	seen []*http.Request
}

// Start starts a service whose repositories are in dir.
func Start(dir, token string) (*Server, error) {
	out, err := exec.Command("git", "--exec-path").Output()
	for _, name := range []string{"acme/app.git", "other/app.git"} {
		repo := filepath.Join(dir, name)
		err = errors.Join(err, exec.Command("git", "init", "-q", "--bare", "-b", "main", repo).Run(),
			exec.Command("git", "-C", repo, "config", "http.receivepack", "true").Run())
	}
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, token: token, backend: filepath.Join(strings.TrimSpace(string(out)), "git-http-backend")}
	s.Server = httptest.NewServer(s)
	return s, nil
}

// Requests returns what was asked since the last call.
func (s *Server) Requests() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.seen
	s.seen = nil
	return seen
}

// ServeHTTP answers who has the token.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.seen = append(s.seen, r)
	s.mu.Unlock()
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+s.token))
	if auth := r.Header.Get("Authorization"); auth != "token "+s.token && auth != basic {
		w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	path := r.URL.Path
	if rest, own := strings.CutPrefix(path, "/api"); own { // as a server of one's own has it
		path = strings.TrimPrefix(rest, "/v3")
	}
	switch {
	case strings.Contains(path, ".git/"):
		backend := cgi.Handler{
			Path: s.backend, Env: []string{"GIT_PROJECT_ROOT=" + s.dir, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=x"},
			Stderr: io.Discard,
		}
		backend.ServeHTTP(w, r)
	case path == "/graphql":
		answerQuery(w, r)
	case path == "/", path == "/meta":
		_, _ = io.WriteString(w, "{}") // gh says what it misses
	case path == "/repos/acme/app/issues" && r.Method == http.MethodPost:
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"number":7,"html_url":"https://github.com/acme/app/issues/7"}`) // likewise
	case path == "/repos/acme/app":
		fmt.Fprintf(w, `{"full_name":"acme/app","echo":%q}`, r.Header.Get("Authorization"))
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

const (
	repository = `"id":"R1","name":"app","owner":{"id":"O1","login":"acme"},"hasIssuesEnabled":true,"defaultBranchRef":{"name":"main"},"viewerPermission":"WRITE"`
	issue      = `{"__typename":"Issue","number":7,"title":"Broken","state":"OPEN","url":"https://github.com/acme/app/issues/7","author":{"login":"me"},` +
		`"updatedAt":"2026-01-01T00:00:00Z","labels":{"nodes":[],"totalCount":0},"comments":{"nodes":[],"totalCount":0}}`
	issues = `"issue":` + issue + `,"issues":{"totalCount":1,"nodes":[` + issue + `],"pageInfo":{"hasNextPage":false}},` +
		`"pullRequest":{"id":"P8","number":8,"title":"Repaired","state":"OPEN","url":"https://github.com/acme/app/pull/8","author":{"login":"me"}},` +
		`"pullRequests":{"totalCount":0,"nodes":[],"pageInfo":{"hasNextPage":false}}`
)

// asksTypes finds under which names a query asks for types: gh asks a server of one's own what it knows.
var asksTypes = regexp.MustCompile(`(\w+):\s*__type\b`)

func answerQuery(w io.Writer, r *http.Request) {
	var body struct{ Query string }
	_ = json.NewDecoder(r.Body).Decode(&body) // what cannot be read has no query
	data := `{"viewer":{"login":"robot"}}`
	var types []string
	for _, m := range asksTypes.FindAllStringSubmatch(body.Query, -1) {
		types = append(types, m[1])
	}
	if len(types) > 0 {
		data = `{"` + strings.Join(types, `":{"fields":[{"name":"stateReason"}]},"`) + `":{"fields":[]}}`
	} else if strings.Contains(body.Query, "createPullRequest(") {
		data = `{"createPullRequest":{"pullRequest":{"id":"P9","url":"https://github.com/acme/app/pull/9"}}}`
	} else if strings.Contains(body.Query, "createIssue(") {
		data = `{"createIssue":{"issue":{"id":"I7","url":"https://github.com/acme/app/issues/7"}}}`
	} else if strings.Contains(body.Query, "repository") {
		data = `{"repository":{` + repository + `,` + issues + `}}`
	}
	fmt.Fprintf(w, `{"data":%s}`, data)
}
