//go:build linux

package e2e

import (
	"cmp"
	"flag"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"swop/internal/test/e2e/picture"
	"swop/internal/test/testhome"
)

// drawn asks for all pictures, each drawn again from a real terminal:
//
//	go test ./internal/test/e2e -run '^TestPictures$' -pictures
//
// Without the flag the test compares words: each picture has those that it must have, and a terminal shows those of the README's now. What
// the commands of the pages show is compared where a test follows the page.
var drawn = flag.Bool("pictures", false, "draw all pictures of docs")

// A shot is a command of a picture, and words that it must show.
type shot struct{ command, shows string }

// A scene is the picture of a page.
type scene struct {
	page, file string // the page that shows it, and its file in docs
	needs      string // a program, beside those of every page
	columns    int    // of the terminal, 0 for as many as the lines need: the paths of this home are longer than those of a reader
	user       func(t *testing.T) *user
	shots      []shot
}

func scenes() []scene {
	return []scene{
		{page: "README.md", file: "picture.svg", columns: 45, user: newActor, shots: []shot{
			{"codex swop usage", "4 % till"},
			{"codex swop use personal", "(personal) ~/work $"},
		}},
		{page: "docs/directories.md", file: "pictures/directories.svg", user: newReader, shots: []shot{
			{"codex swop bind acme ~/clients/acme", `codex runs as "acme"`},
			{"cd ~/clients/acme/api", ""},
			{"codex swop which", "is bound to it"},
			{"SWOP_ACCOUNT=personal codex swop which --short", "personal"},
		}},
		{page: "docs/shell-prompt.md", file: "pictures/shell-prompt.svg", user: newReader, shots: []shot{
			{`PS1='($(codex swop which --short)) '"$PS1"`, "(work) ~/work $"},
			{"codex swop bind acme ~/clients/acme", ""},
			{"cd ~/clients/acme", "(acme) ~/clients/acme $"},
			{"export SWOP_ACCOUNT=personal", "(personal) ~/clients/acme $"},
		}},
		{page: "docs/usage.md", file: "pictures/usage.svg", user: newSubscriber, shots: []shot{
			{"codex swop usage", "4 % till"},
			{"codex swop use auto", ""},
			{"codex swop which --short", "personal"},
		}},
		{page: "docs/confinement.md", file: "pictures/confinement.svg", needs: "userns", user: newReader, shots: []shot{
			{"codex swop add acme-confined --confine workspace-write --no-login", ""},
			{"codex swop bind acme-confined ~/clients/acme", ""},
			{"cd ~/clients/acme", ""},
			{"codex swop confine", "confined: workspace-write"},
		}},
		{page: "docs/path.md", file: "pictures/path.svg", user: newReader, shots: []shot{
			{`PATH="$HOME/.volta/bin:$PATH"`, ""},
			{"~/.local/share/swop/bin/codex swop doctor | grep -A 1 problem", "comes before the shim on PATH here"},
			{`export PATH="$HOME/.local/share/swop/bin:$PATH"`, ""},
			{"codex swop which --short", "work"},
		}},
		{page: "docs/ci.md", file: "pictures/ci.svg", user: newReader, shots: []shot{
			{"printenv OPENAI_API_KEY | codex swop add ci --with-api-key", `account "ci"`},
			{"SWOP_ACCOUNT=ci codex exec --skip-git-repo-check 'Say hello' 2>/dev/null", "hello"},
			{"codex swop remove ci --yes", "removed"},
		}},
		{page: "docs/sandbox.md", file: "pictures/sandbox.svg", needs: "bwrap", user: newReader, shots: []shot{
			{"codex swop sandbox -- touch notes", "Read-only file system"},
			{"codex swop sandbox --full-auto -- touch notes", ""},
			{"ls", "notes"},
			{"codex swop sandbox --json -- sh -c 'exit 7' | head -4", `"status": 7`},
		}},
		{page: "docs/bridge.md", file: "pictures/bridge.svg", user: newBridged, shots: []shot{
			{"codex swop bind acme ~/clients/acme --bridge tracker", `"acme"`},
			{"cd ~/clients/acme", ""},
			{"codex swop bridge", "allows GET /issues/*"},
			{"codex swop bridge check tracker | fold -s -w 90", "403"},
		}},
		{page: "docs/cron.md", file: "pictures/cron.svg", user: newReader, shots: []shot{
			{`PATH="$HOME/.local/share/swop/bin:$HOME/.local/share/swop/npm/bin:/usr/bin:/bin"`, ""},
			{`env -i HOME="$HOME" PATH="$PATH" SWOP_ACCOUNT=personal sh -c 'codex swop which --short'`, "personal"},
			{`env -i HOME="$HOME" PATH="$PATH" SWOP_ACCOUNT=personal sh -c 'codex login status'`, "API key"},
		}},
		{page: "docs/several-machines.md", file: "pictures/several-machines.svg", user: newReader, shots: []shot{
			{`export CODEX_SQLITE_HOME="$HOME/.codex-hosts/$(uname -n)"`, ""},
			{"codex swop run work -- printenv CODEX_SQLITE_HOME", ".codex-hosts/"},
		}},
		{page: "docs/editors.md", file: "pictures/editors.svg", user: newReader, shots: []shot{
			{"command -v codex", ".local/share/swop/bin/codex"},
			{"codex swop bind acme ~/clients/acme", `codex runs as "acme"`},
			{"codex swop run personal -- printenv CODEX_HOME", "/personal/home/.codex"},
		}},
	}
}

// TestPictures: each picture shows what the commands beside it print.
func TestPictures(t *testing.T) {
	t.Parallel()
	for _, s := range scenes() {
		t.Run(s.page, func(t *testing.T) {
			if *drawn || s.page == "README.md" {
				s.play(t)
			}
			s.hasWords(t)
		})
	}
}

// play types the commands into a terminal, which must show the words, and draws it if that is asked for.
func (s scene) play(t *testing.T) {
	testhome.Needs(t, "tmux")
	if s.needs != "" {
		testhome.Needs(t, s.needs)
	}
	u := s.user(t)
	u.prepareScenes()
	screen := u.act(s.shots, cmp.Or(s.columns, 160))
	if !*drawn {
		return
	}
	svg, err := picture.SVG("the commands of this page, in a terminal", screen)
	testhome.NoError(t, err)
	testhome.NoError(t, os.WriteFile(filepath.Join("../../../docs", s.file), []byte(svg), 0o644))
}

// prepareScenes makes what the scenes find: a client's directory, and another codex.
func (u *user) prepareScenes() {
	u.t.Helper()
	u.env = append(u.env, "OPENAI_API_KEY=sk-scene-0123456789-scene")
	for _, dir := range []string{"clients/acme/api", ".volta/bin"} {
		u.mkdir(dir)
	}
	testhome.NoError(u.t, os.Symlink("/bin/echo", filepath.Join(u.home, ".volta", "bin", "codex")))
}

// act types the commands into a shell and returns its screen, which must show the words of each.
func (u *user) act(shots []shot, columns int) string {
	u.t.Helper()
	ended := filepath.Join(u.t.TempDir(), "ended")
	u.write(".scene", `PS1='\[\e[1;34m\]\w $\[\e[0m\] '`+"\n"+u.ps1+"\nPROMPT_COMMAND='echo >>"+ended+"'\n")
	w := u.openTerminal("bash --rcfile ~/.scene -i")
	w.tmux("resize-window", "-x", strconv.Itoa(columns))
	for n := range len(shots) + 1 {
		eventually(u.t, "the shell's prompt", func() bool {
			text, err := os.ReadFile(ended)
			return err == nil && len(text) > n && strings.HasSuffix(strings.TrimSpace(w.tmux("capture-pane", "-p")), " $")
		})
		if n < len(shots) {
			w.ask(shots[n].command)
		}
	}
	for _, s := range shots {
		w.await(s.shows)
	}
	screen := strings.ReplaceAll(w.tmux("capture-pane", "-e", "-p"), u.home, homeInDocs)
	return onLoopback.ReplaceAllString(screen, "https://tracker.example.com")
}

var onLoopback = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// hasWords checks that the page shows its picture, and that this has the commands and the words of the shots.
func (s scene) hasWords(t *testing.T) {
	t.Helper()
	link, _ := filepath.Rel(filepath.Dir(s.page), filepath.Join("docs", s.file)) // both are relative
	if text := readText(t, filepath.Join("../../..", s.page)); !strings.Contains(text, "]("+link+")") {
		t.Errorf("%s does not show %s", s.page, link)
	}
	var words strings.Builder
	for _, m := range regexp.MustCompile(`<text[^>]*>([^<]*)</text>`).FindAllStringSubmatch(readText(t, filepath.Join("../../../docs", s.file)), -1) {
		words.WriteString(html.UnescapeString(m[1]) + " ")
	}
	for _, shot := range s.shots {
		if !strings.Contains(words.String(), shot.command) || !strings.Contains(words.String(), shot.shows) {
			t.Errorf("the picture of %s lacks %q or %q. Draw all again, and look at them:\n\tgo test ./internal/test/e2e -run '^TestPictures$' -pictures", s.page, shot.command, shot.shows)
		}
	}
}

// newSubscriber makes a user with two ChatGPT logins, of which one is nearly at its limit, and an API key.
func newSubscriber(t *testing.T) *user {
	t.Helper()
	m := newUsageReader(t)
	m.add("ci", workLogin)
	m.ok(m.swop("use", "work"))
	return m.user
}

// newBridged makes a reader with a bridge to a service that is here.
func newBridged(t *testing.T) *user {
	t.Helper()
	u := newReader(t)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}\n") }))
	t.Cleanup(service.Close)
	u.write(".config/tracker.token", "t0ken-of-the-tracker\n")
	u.write(".config/swop/config.toml", "[bridge.tracker]\nkind = \"http\"\nupstream = \""+service.URL+"/api\"\nheader = \"Authorization: Bearer {token}\"\n"+
		"token = { file = \"~/.config/tracker.token\" }\nallow = [\"GET /issues/*\", \"POST /issues\"]\n")
	return u
}

// keepAnswers plants two versions of AGENTS.md and returns their texts, the older one first.
func (u *user) keepAnswers() (first, second string) {
	u.t.Helper()
	first, second = "Answer in French.\n", "Answer in one sentence.\n"
	u.keep("AGENTS.md", first, time.Now().Add(-time.Hour))
	u.keep("AGENTS.md", second, time.Now())
	u.write(".codex/AGENTS.md", "Answer at length.\n")
	return first, second
}

// newActor makes a user with the accounts of the README's picture, of which one is nearly at its limit, and the prompt of docs/shell-prompt.md.
func newActor(t *testing.T) *user {
	t.Helper()
	m := newUsageReader(t)
	m.ok(m.swop("use", "work"))
	for _, b := range readPage(t, "docs/shell-prompt.md") {
		if b.language == "bash" {
			m.ps1 += b.text
		}
	}
	return m.user
}
