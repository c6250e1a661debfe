//go:build unix

package bridge

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/test/testgithub"
	"swop/internal/test/testhome"
)

// gitHub is a service whose repositories need the secret.
type gitHub struct {
	*testgithub.Server
	dir string
}

func newGitHub(t *testing.T) *gitHub {
	t.Helper()
	g := &gitHub{dir: t.TempDir()}
	var err error
	g.Server, err = testgithub.Start(g.dir, secret)
	testhome.NoError(t, err)
	t.Cleanup(g.Close)
	return g
}

// run runs a program with the environment and returns what it prints. If it fails the test ends.
func run(t testing.TB, env config.Env, args ...string) string {
	t.Helper()
	out, err := try(env, args...)
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return out
}

func try(env config.Env, args ...string) (string, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = env
	cmd.Dir = env.Value("PWD")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// gitHubSession returns a session with a bridge to the service, which gh and git know by this host, and the environment of its commands.
func gitHubSession(t *testing.T, g *gitHub, host string, allow ...string) (*Session, config.Env) {
	t.Helper()
	_, prefix := config.APIHost(host)
	s := open(t, nil, config.Bridge{
		Name: "github", Kind: config.BridgeGitHub, Host: host, Upstream: g.URL + prefix, GitUpstream: g.URL,
		Token: config.Token{Env: "SANDBOX_GH_TOKEN"}, Allow: testhome.Rules(t, config.BridgeGitHub, allow...),
	})
	work := filepath.Join(s.options.Home, "work")
	testhome.NoError(t, os.Mkdir(work, 0o700))
	testhome.PutFile(t, filepath.Join(s.options.Home, ".config", "gh", "hosts.yml"), host+":\n    oauth_token: the-host's-own\n    user: me\n")
	env := config.Env{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.options.Home, "TMPDIR=" + s.options.Home, "PWD=" + work, "GH_TOKEN=the-host's-own", "GITHUB_TOKEN=the-host's-own",
		"GIT_AUTHOR_NAME=me", "GIT_AUTHOR_EMAIL=me@example.org", "GIT_COMMITTER_NAME=me", "GIT_COMMITTER_EMAIL=me@example.org",
		"GH_ENTERPRISE_TOKEN=the-host's-own", "GH_HOST=elsewhere.example.com", "GIT_TERMINAL_PROMPT=0", "NO_COLOR=1",
	}
	return s, s.Env(env)
}

// TestGit: what a host's own configuration has is not sent, and what the rules do not allow is refused; see also the script bridge_github.
func TestGit(t *testing.T) {
	g := newGitHub(t)
	s, env := gitHubSession(t, g, config.GitHubHost, "repo:acme/* write", "repo:other/app")
	testhome.PutText(t, filepath.Join(s.options.Home, ".netrc"), "machine github.com login me password the-host's-own\n")
	testhome.PutText(t, filepath.Join(s.options.Home, ".gitconfig"),
		"[credential]\n\thelper = store\n[url \"git@github.com:\"]\n\tpushInsteadOf = https://github.com/\n")
	run(t, env, "git", "init", "-q", "-b", "main", "app")
	env = env.With("PWD", filepath.Join(s.options.Home, "work", "app"))
	run(t, env, "git", "commit", "-q", "--allow-empty", "-m", "first")
	run(t, env, "git", "remote", "add", "origin", "https://github.com/acme/app.git")
	run(t, env, "git", "push", "-q", "origin", "main")
	testhome.NoError(t, os.Symlink("acme", filepath.Join(g.dir, "ACME"))) // GitHub does not tell them apart
	run(t, env, "git", "ls-remote", "ssh://git@github.com/ACME/app.git")
	for _, r := range g.Requests() {
		if _, password, _ := r.BasicAuth(); password != secret || len(r.Header.Values("Authorization")) != 1 {
			t.Errorf("upstream sees %s %v with %v", r.Method, r.URL, r.Header["Authorization"])
		}
	}
	for _, refused := range [][]string{
		{"git", "push", "git@github.com:other/app.git", "main"},
		{"git", "ls-remote", "https://github.com/acme/%2e%2e/other/app.git"},
	} {
		out, err := try(env, refused...)
		if err == nil || !strings.Contains(out, "403") && !strings.Contains(out, "400") || len(g.Requests()) != 0 {
			t.Errorf("%q: %v\n%s", refused, err, out)
		}
	}
	if out, _ := try(env, "git", "push", "https://github.com/other/app.git", "main"); !strings.Contains(out,
		`ask the user to add "repo:other/app write" to allow of [bridge.github]`) {
		t.Errorf("a refused push says:\n%s", out)
	}
}

// TestGitProof: without the session's header, or with another host, nothing is sent on.
func TestGitProof(t *testing.T) {
	g := newGitHub(t)
	s, _ := gitHubSession(t, g, config.GitHubHost, "repo:acme/* write")
	const path = "/acme/app.git/info/refs"
	for _, tt := range []struct {
		address, query, proof string
		status                int
	}{
		{"http://github.com" + path, "service=git-upload-pack", s.github.proof, 200},
		{"http://github.com" + path, "service=git-upload-pack", "", 403},
		{"http://github.com.elsewhere.com" + path, "service=git-upload-pack", s.github.proof, 400},
		{"http://me@github.com" + path, "service=git-upload-pack", s.github.proof, 400},
		{"http://github.com" + path, "service=git-upload-pack&service=git-receive-pack", s.github.proof, 403},
		{"http://github.com/acme/app.git/info/lfs/objects/batch", "", s.github.proof, 403},
		{"http://github.com/other/app.git/../../acme/app.git/info/refs", "service=git-upload-pack", s.github.proof, 400},
	} {
		g.Requests()
		status := s.rawGit(t, "GET "+tt.address+"?"+tt.query, "Host: github.com\r\n"+sessionHeader+": "+tt.proof+"\r\n", "")
		if seen := g.Requests(); status != tt.status || (len(seen) > 0) != (tt.status == 200) {
			t.Errorf("%s?%s: %d, want %d; upstream sees %d requests", tt.address, tt.query, status, tt.status, len(seen))
		}
	}
	headers := "Host: github.com\r\n" + sessionHeader + ": " + s.github.proof + "\r\n"
	if status := s.rawGit(t, "POST http://github.com/other/app.git/git-receive-pack", headers, "0000"); status != 403 ||
		len(g.Requests()) != 0 {
		t.Errorf("a push to another repository: %d", status)
	}
	if status := s.rawGit(t, "CONNECT github.com:443", headers, ""); status != 400 || len(g.Requests()) != 0 {
		t.Errorf("CONNECT: %d", status)
	}
}

// TestGH runs gh as it comes: logged in, on what is allowed; all else is refused with a sentence.
func TestGH(t *testing.T) {
	testhome.Needs(t, "gh")
	for _, host := range []string{config.GitHubHost, "ghe.example.com", "acme.ghe.com"} {
		t.Run(host, func(t *testing.T) { tryGH(t, host) })
	}
}

func tryGH(t *testing.T, host string) {
	g := newGitHub(t)
	_, env := gitHubSession(t, g, host, "repo:acme/* write", "graphql")
	if out := run(t, env, "gh", "auth", "status"); !strings.Contains(out, "Logged in to "+host+" as robot") {
		t.Errorf("gh auth status: %s", out)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"issue", "list", "-R", "acme/app"}, "Broken"},
		{[]string{"pr", "view", "8", "-R", "acme/app"}, "Repaired"},
		{[]string{"pr", "create", "-R", "acme/app", "--head", "topic", "--title", "x", "--body", "y"}, "/acme/app/pull/9"},
		{[]string{"issue", "create", "-R", "acme/app", "--title", "x", "--body", "y"}, "/acme/app/issues/7"},
		{[]string{"repo", "view", "acme/app", "--json", "name"}, `{"name":"app"}`},
		{[]string{"api", "repos/acme/app/issues", "-f", "title=x", "--jq", ".number"}, "7"},
		{[]string{"api", "graphql", "-f", "query={viewer{login}}"}, "robot"},
	} {
		if out := run(t, env, append([]string{"gh"}, tt.args...)...); !strings.Contains(out, tt.want) {
			t.Errorf("gh %q prints %q, want %q", tt.args, out, tt.want)
		}
	}
	for _, r := range g.Requests() {
		if auth := r.Header.Values("Authorization"); len(auth) != 1 || auth[0] != "token "+secret ||
			strings.HasSuffix(r.URL.Path, "/v3/graphql") {
			t.Errorf("upstream sees %s %v with %v", r.Method, r.URL, auth)
		}
	}
	run(t, env, "gh", "repo", "clone", "acme/app")
	g.Requests()
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"api", "repos/other/app"}, `ask the user to add "repo:other/app" to allow`},
		{[]string{"api", "-X", "DELETE", "repos/acme/app"}, `"DELETE /repos/acme/app"`},
		{[]string{"api", "repos/acme/app/keys", "-f", "key=x"}, `"POST /repos/acme/app/keys"`},
	} {
		out, err := try(env, append([]string{"gh"}, tt.args...)...)
		if err == nil || !strings.Contains(out, tt.want) {
			t.Errorf("gh %q: %v, %s\nwant %q", tt.args, err, out, tt.want)
		}
	}
	for _, r := range g.Requests() {
		if !strings.HasSuffix(r.URL.Path, "/graphql") { // of an issue that was looked up before it is closed
			t.Errorf("upstream sees %s %v", r.Method, r.URL)
		}
	}
}

// TestEnterprisePaths: a server of one's own has its interfaces below /api, for who names it; the bridge's own name has them as github.com.
func TestEnterprisePaths(t *testing.T) {
	g := newGitHub(t)
	s, _ := gitHubSession(t, g, "ghe.example.com", "repo:acme/*")
	for _, tt := range []struct {
		address string
		status  int
	}{
		{"http://ghe.example.com/api/v3/repos/acme/app", 200},
		{"http://github/repos/acme/app", 200},
		{"http://ghe.example.com/repos/acme/app", 403},
		{"http://ghe.example.com/api/v3/repos/other/app", 403},
		{"http://ghe.example.com/api/v3x/repos/acme/app", 400},
	} {
		g.Requests()
		r, err := s.client("github").Get(tt.address)
		if got := read1(t, r, err); got.status != tt.status || (len(g.Requests()) == 1) != (tt.status == 200) {
			t.Errorf("%s: %+v, want %d", tt.address, got, tt.status)
		}
	}
}

// TestHostToken: what gh outside uses is sent only where the table says so, its variables before its own files.
func TestHostToken(t *testing.T) {
	g := newGitHub(t)
	for _, tt := range []struct {
		name  string
		token config.Token
		env   config.Env
		want  int
	}{
		{"the variable", config.Token{Host: true}, config.Env{"GH_TOKEN=" + secret, "GITHUB_TOKEN=another-token"}, 200},
		{"gh itself", config.Token{Host: true}, nil, 200},
		{"not the host's", config.Token{Env: "SANDBOX_GH_TOKEN"}, config.Env{"GH_TOKEN=" + secret}, 502},
		{"a server of one's own", config.Token{Host: true}, config.Env{"GH_TOKEN=another-token", "GH_ENTERPRISE_TOKEN=" + secret}, 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := config.Bridge{
				Name: "github", Kind: config.BridgeGitHub, Host: config.GitHubHost, Upstream: g.URL, GitUpstream: g.URL,
				Token: tt.token,
			}
			asks := "auth token"
			if strings.Contains(tt.name, "one's own") {
				b.Host, asks = "ghe.example.com", "auth token --hostname ghe.example.com"
			}
			s := open(t, func(o *Options) {
				fake := testhome.PutFile(t, filepath.Join(o.Home, "bin", "gh"), "#!/bin/sh\n[ \"$*\" = '"+asks+"' ] && echo '"+secret+"'\n")
				testhome.NoError(t, os.Chmod(fake, 0o700))
				o.Env = append(tt.env, "PATH="+filepath.Dir(fake)+":"+os.Getenv("PATH"), "HOME="+o.Home)
			}, b)
			r, err := s.client("github").Get("http://" + b.Name + "/")
			if got := read1(t, r, err); got.status != tt.want {
				t.Errorf("the answer is %+v, want %d", got, tt.want)
			}
		})
	}
}
