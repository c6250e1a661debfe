//go:build linux

package e2e

import (
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"swop/e2e/picture"
	"swop/e2e/responses"
)

// pictureFile is where the picture of the README is drawn again, from the real programs in a real terminal:
//
//	go test ./e2e -run '^TestPicture$' -picture ../docs/picture.svg
//
// Without the flag the test compares it with what they show now.
var pictureFile = flag.String("picture", "", "draw the README's picture into this `file`")

// shown are the commands of the picture, each with what its output must contain.
var shown = []struct{ command, shows string }{
	{"codex swop list", "me@work.example (business)"},
	{"codex login status", "Logged in using ChatGPT"},
	{"cd ~/clients/acme", "(acme) ~/clients/acme $"},
	{"codex exec 'Say hello' 2>/dev/null", responses.Reply},
	{"codex login status", "API key configured"},
	{"SWOP_ACCOUNT=personal codex login status", "Logged in using ChatGPT"},
}

func TestPicture(t *testing.T) {
	u := newInstalled(t)
	u.stage()
	w := u.openTerminal("bash -i")
	w.prompts(") ~", 1)
	for i, s := range shown {
		w.ask(s.command)
		w.prompts(") ~", i+2)
	}
	screen := w.tmux("capture-pane", "-p")
	for _, s := range shown {
		if !strings.Contains(screen, s.shows) {
			t.Errorf("after %s the terminal does not show %q:\n%s", s.command, s.shows, screen)
		}
	}
	svg := drawing(t, "codex under several accounts, in a terminal", w, *pictureFile)
	if old, err := os.ReadFile("../docs/picture.svg"); *pictureFile == "" && (err != nil || string(old) != svg) {
		t.Errorf("the README's picture is not what the programs show (%v). Draw it again, and look at it:\n"+
			"\tgo test ./e2e -run '^TestPicture$' -picture ../docs/picture.svg\n%s", err, screen)
	}
}

// stage makes the accounts of the picture, of an age that a page's reader sees tomorrow as well, and the prompt of docs/shell-prompt.md.
func (u *user) stage() {
	u.t.Helper()
	u.imported("work", "me@work.example", "business")
	u.imported("personal", "me@home.example", "plus")
	u.add("acme", acmeLogin)
	u.aged("work", 90, 2)
	u.aged("personal", 90, 26)
	u.aged("acme", 3, 5)
	u.ok(u.swop("use", "work"))
	acme := filepath.Join(u.home, "clients", "acme")
	u.ok(u.command("git", "init", "-q", acme))
	u.ok(u.swop("bind", "acme", acme))
	s := u.reads("docs/shell-prompt.md")
	s.file(block{target: "~/.bashrc", text: "PS1='\\[\\e[1;34m\\]\\w $\\[\\e[0m\\] '\n"})
	for _, b := range readPage(u.t, s.page) {
		if b.language == "bash" {
			s.file(b)
		}
	}
}

// imported makes an account with a ChatGPT login that no server accepts.
func (u *user) imported(label, email, plan string) {
	u.t.Helper()
	claims := fmt.Sprintf(`{"email":%q,"https://api.openai.com/auth":{"chatgpt_plan_type":%q,"chatgpt_account_id":"a"}}`, email, plan)
	token := "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2ln"
	login, err := json.Marshal(object{"tokens": object{"id_token": token, "access_token": token, "refresh_token": "r", "account_id": "a"}, "last_refresh": time.Now()})
	if err != nil {
		u.t.Fatal(err)
	}
	u.write("login.json", string(login))
	u.adds(u.swop("add", label, "--import", filepath.Join(u.home, "login.json")))
}

// aged makes an account as old, and as long not used, as is said; half an hour more, so that it shows the same on a slow machine.
func (u *user) aged(key string, days, unusedHours int) {
	u.t.Helper()
	file := filepath.Join(u.accounts(), key, "meta.json")
	text, err := os.ReadFile(file)
	meta := object{}
	if err == nil {
		err = json.Unmarshal(text, &meta)
	}
	now := time.Now().Add(-30 * time.Minute)
	meta["created_at"] = now.AddDate(0, 0, -days).UTC().Format(time.RFC3339)
	meta["last_used_at"] = now.Add(-time.Duration(unusedHours) * time.Hour).UTC().Format(time.RFC3339)
	if err == nil {
		text, err = json.Marshal(meta)
	}
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		u.t.Fatal(err)
	}
}

// prompts waits until the shell's prompt, of which this is a part, is there n times.
func (w *terminal) prompts(prompt string, n int) {
	w.t.Helper()
	var screen string
	if !eventually(w.t, "the shell's prompt", func() bool {
		screen = w.tmux("capture-pane", "-p")
		return strings.Count("\n"+screen, prompt) >= n
	}) {
		w.t.Fatalf("the terminal shows\n%s", screen)
	}
}

// drawing returns the picture of what the terminal shows, and writes it to the file, if it has a name.
func drawing(t *testing.T, title string, w *terminal, file string) string {
	t.Helper()
	svg, err := picture.SVG(title, w.tmux("capture-pane", "-e", "-p"))
	if err == nil && file != "" {
		err = os.WriteFile(file, []byte(svg), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return svg
}
