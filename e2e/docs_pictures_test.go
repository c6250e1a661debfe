//go:build linux

package e2e

import (
	"flag"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"swop/e2e/picture"
	"swop/home/history"
	"swop/internal/testhome"
)

// picturesDir is where the pictures of the pages are drawn again, each from a real terminal:
//
//	go test ./e2e -run '^TestPictures$' -pictures ../docs/pictures
//
// Without the flag the test compares words: those that a picture must have are in it, and the terminal shows them now.
var picturesDir = flag.String("pictures", "", "draw the pages' pictures into this `directory`")

// A shot is a command of a picture, and words that it must show.
type shot struct{ command, shows string }

// A scene is the picture of a page of docs.
type scene struct {
	needs string // a program, beside those of every page
	user  func(t *testing.T) *user
	shots []shot
}

func scenes() map[string]scene {
	return map[string]scene{
		"directories": {user: newReader, shots: []shot{
			{"codex swop bind acme ~/clients/acme", `codex runs as "acme"`},
			{"cd ~/clients/acme/api", ""},
			{"codex swop which", "is bound to it"},
			{"SWOP_ACCOUNT=personal codex swop which --short", "personal"},
		}},
		"shell-prompt": {user: newReader, shots: []shot{
			{`PS1='($(codex swop which --short)) '"$PS1"`, "(work) ~/work $"},
			{"codex swop bind acme ~/clients/acme", ""},
			{"cd ~/clients/acme", "(acme) ~/clients/acme $"},
			{"export SWOP_ACCOUNT=personal", "(personal) ~/clients/acme $"},
		}},
		"history": {user: newHistorian, shots: []shot{
			{"codex swop history ~/.codex/AGENTS.md", "+Answer at length."},
			{"codex swop restore ~/.codex/AGENTS.md", "restored version 1"},
			{"cat ~/.codex/AGENTS.md", "Answer in one sentence."},
		}},
		"usage": {user: newSubscriber, shots: []shot{
			{"codex swop usage", "4 % left"},
			{"codex swop use auto", ""},
			{"codex swop which --short", "personal"},
		}},
		"confinement": {needs: "bwrap", user: newReader, shots: []shot{
			{"codex swop bind acme ~/clients/acme --confine workspace-write", ""},
			{"cd ~/clients/acme", ""},
			{"codex swop confine", "confined: workspace-write"},
		}},
		"path": {user: newReader, shots: []shot{
			{`PATH="$HOME/.volta/bin:$PATH"`, ""},
			{"~/.local/share/swop/bin/codex swop doctor | grep -A 1 problem", "comes before the shim on PATH here"},
			{`export PATH="$HOME/.local/share/swop/bin:$PATH"`, ""},
			{"codex swop which --short", "work"},
		}},
		"ci": {user: newReader, shots: []shot{
			{"printenv OPENAI_API_KEY | codex swop add ci --with-api-key", `account "ci"`},
			{"SWOP_ACCOUNT=ci codex exec --skip-git-repo-check 'Say hello' 2>/dev/null", "hello"},
			{"codex swop remove ci --yes", "removed"},
		}},
		"sandbox": {needs: "bwrap", user: newReader, shots: []shot{
			{"codex swop sandbox -- touch notes", "Read-only file system"},
			{"codex swop sandbox --full-auto -- touch notes", ""},
			{"ls", "notes"},
			{"codex swop sandbox --json -- sh -c 'exit 7' | head -4", `"status": 7`},
		}},
		"bridge": {user: newBridged, shots: []shot{
			{"codex swop bind acme ~/clients/acme --bridge tracker", `"acme"`},
			{"cd ~/clients/acme", ""},
			{"codex swop bridge", "allows GET /issues/*"},
			{"codex swop bridge check tracker | fold -s -w 90", "403"},
		}},
		"cron": {user: newReader, shots: []shot{
			{`PATH="$HOME/.local/share/swop/bin:$HOME/.local/share/swop/npm/bin:/usr/bin:/bin"`, ""},
			{`env -i HOME="$HOME" PATH="$PATH" SWOP_ACCOUNT=personal sh -c 'codex swop which --short'`, "personal"},
			{`env -i HOME="$HOME" PATH="$PATH" SWOP_ACCOUNT=personal sh -c 'codex login status'`, "API key"},
		}},
		"several-machines": {user: newReader, shots: []shot{
			{`export CODEX_SQLITE_HOME="$HOME/.codex-hosts/$(uname -n)"`, ""},
			{"codex swop run work -- printenv CODEX_SQLITE_HOME", ".codex-hosts/"},
		}},
		"editors": {user: newReader, shots: []shot{
			{"command -v codex", ".local/share/swop/bin/codex"},
			{"codex swop bind acme ~/clients/acme", `codex runs as "acme"`},
			{"codex swop env personal --codex-home", "CODEX_HOME="},
		}},
	}
}

// TestPagesHavePictures: a page whose commands are run shows them.
func TestPagesHavePictures(t *testing.T) {
	pages := slices.Sorted(maps.Keys(followed))
	for _, page := range append(pages, "docs/bridge.md") {
		name, ok := strings.CutPrefix(strings.TrimSuffix(page, ".md"), "docs/")
		if _, drawn := scenes()[name]; ok && !drawn {
			t.Errorf("%s has no picture among the scenes", page)
		}
	}
}

func TestPictures(t *testing.T) {
	for page, s := range scenes() {
		t.Run(page, func(t *testing.T) {
			testhome.Needs(t, "tmux")
			if s.needs != "" {
				testhome.Needs(t, s.needs)
			}
			u := s.user(t)
			u.prepareScenes()
			screen := u.act(s.shots)
			if *picturesDir != "" {
				draw(t, page, screen)
			}
			hasWords(t, page, s.shots)
		})
	}
}

// prepareScenes makes what the scenes find: a client's directory, and another codex.
func (u *user) prepareScenes() {
	u.t.Helper()
	u.env = append(u.env, "OPENAI_API_KEY=sk-scene-0123456789-scene")
	for _, dir := range []string{"clients/acme/api", ".volta/bin"} {
		if err := os.MkdirAll(filepath.Join(u.home, dir), 0o700); err != nil {
			u.t.Fatal(err)
		}
	}
	if err := os.Symlink("/bin/echo", filepath.Join(u.home, ".volta", "bin", "codex")); err != nil {
		u.t.Fatal(err)
	}
}

// act types the commands into a shell and returns its screen, which must show the words of each.
func (u *user) act(shots []shot) string {
	u.t.Helper()
	ended := filepath.Join(u.t.TempDir(), "ended")
	u.write(".scene", `PS1='\[\e[1;34m\]\w $\[\e[0m\] '`+"\nPROMPT_COMMAND='echo >>"+ended+"'\n")
	w := u.openTerminal("bash --rcfile ~/.scene -i")
	w.tmux("resize-window", "-x", "160") // the paths of this home are longer than those of a reader
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

func draw(t *testing.T, page, screen string) {
	t.Helper()
	svg, err := picture.SVG("the commands of this page, in a terminal", screen)
	if err == nil {
		err = os.WriteFile(filepath.Join(*picturesDir, page+".svg"), []byte(svg), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// hasWords checks that the page shows its picture, and that this has the commands and the words of the shots.
func hasWords(t *testing.T, page string, shots []shot) {
	t.Helper()
	if text := readText(t, filepath.Join("..", "docs", page+".md")); !strings.Contains(text, "](pictures/"+page+".svg)") {
		t.Errorf("docs/%s.md does not show pictures/%[1]s.svg", page)
	}
	var words strings.Builder
	for _, m := range regexp.MustCompile(`<text[^>]*>([^<]*)</text>`).FindAllStringSubmatch(readText(t, filepath.Join("..", "docs", "pictures", page+".svg")), -1) {
		words.WriteString(html.UnescapeString(m[1]) + " ")
	}
	for _, s := range shots {
		if !strings.Contains(words.String(), s.command) || !strings.Contains(words.String(), s.shows) {
			t.Errorf("the picture of docs/%s.md lacks %q or %q. Draw it again, and look at it:\n\tgo test ./e2e -run '^TestPictures$' -pictures ../docs/pictures", page, s.command, s.shows)
		}
	}
}

// newHistorian makes a reader of whose AGENTS.md two earlier versions were kept.
func newHistorian(t *testing.T) *user {
	t.Helper()
	u := newReader(t)
	u.keepAnswers()
	return u
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
	u.keep(history.About{View: history.CodexView, Path: "AGENTS.md", Account: "acme", Time: time.Now().Add(-time.Hour), Why: history.Changed}, first)
	u.keep(history.About{View: history.CodexView, Path: "AGENTS.md", Account: "acme", Time: time.Now(), Why: history.Replaced}, second)
	u.write(".codex/AGENTS.md", "Answer at length.\n")
	return first, second
}
