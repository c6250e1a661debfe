//go:build linux

package e2e

import (
	"html"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"swop/internal/test/e2e/chatgpt"
	"swop/internal/test/e2e/responses"
	"swop/internal/test/testfile"
	"swop/internal/test/testhome"
)

// The README's commands, in its order.
const (
	setUp     = iota // three lines: clone, from an address that a reader fills in; cd; install, log in, run
	passTests        // one command
	everyDay         // a line each
	uninstall
)

// TestREADME does what the README says, in a fresh clone and a fresh home, with a login server and a model in OpenAI's place, and
// nothing else that a new machine lacks. The real codex comes from npm.
func TestREADME(t *testing.T) {
	u := newStranger(t)
	var says []block
	for _, b := range readPage(t, "README.md") {
		if b.language == "sh" && b.target == "" {
			says = append(says, b)
		}
	}
	if len(says) != uninstall+1 {
		t.Fatalf("the README has %d blocks of commands, want %d", len(says), uninstall+1)
	}
	for n, want := range map[int]int{setUp: 3, passTests: 1, uninstall: 1} {
		if strings.Count(says[n].text, "\n") != want {
			t.Errorf("the README's block %d is %q, want %d commands", n, says[n].text, want)
		}
	}

	u.setsUp(strings.SplitAfter(says[setUp].text, "\n")[2])
	u.passesTests(says[passTests].text)
	u.livesWithIt(says[everyDay].text)
	before := u.files(u.accounts(), "auth.json")
	u.ok(u.command("/bin/sh", "-euc", says[uninstall].text))
	u.absent(filepath.Join(u.home, ".local", "share", "swop"))
	u.absent(filepath.Join(u.home, ".bashrc"))
	u.absent(filepath.Join(u.home, ".profile"))
	if after := u.files(u.accounts(), "auth.json"); len(before) != 2 || len(after) != 2 {
		t.Errorf("logins before uninstall: %q, after: %q, want two", before, after)
	}
}

// A stranger has a clone, Go, npm, node and git, but no codex.
type stranger struct {
	*user
	openAI *chatgpt.Server
}

func newStranger(t *testing.T) stranger {
	t.Helper()
	testhome.Needs(t, "tmux")
	u := newUser(t)
	repository, err := everything()
	testhome.NoError(t, err)
	u.neverHadServer()
	u.use(programs{swop: u.tools("go", "npm", "node"), real: "/usr/local/bin"})
	get, _, _ := strings.Cut(readPage(t, "README.md")[setUp].text, "./install.sh")
	clone{t, ""}.do(u.home, "sh", "-euc", strings.ReplaceAll(get, "URL-OF-THIS-REPOSITORY", "file://"+repository)+"test -x install.sh")
	u.work = filepath.Join(u.home, "swop")
	u.write(".codex/config.toml", u.model.Config()+"\n[projects.\""+u.work+"\"]\ntrust_level = \"trusted\"\n")
	u.env = append(u.env, "SHELL=/bin/bash")
	downloads := append(append(goEnv(t), npmEnv(t)...), given("SSL_CERT_FILE", "SSL_CERT_DIR")...)
	u.env = append(append(u.env, downloads...), "NO_PROXY="+hosts(downloads)+",sum.golang.org") // codex alone asks the login server's proxy
	testhome.NoError(t, os.Remove(filepath.Join(u.home, ".profile")))
	s := u.openAI()
	for n := range 2 {
		s.SetLimits(n+1, chatgpt.Limits{Short: 10 * n, Long: 20, Resets: time.Now().Add(time.Hour)})
	}
	return stranger{u, s}
}

// tools returns a directory with links to programs, so that nothing else in their directories is on PATH.
func (u *user) tools(names ...string) string {
	u.t.Helper()
	dir := filepath.Join(u.home, "tools")
	testhome.NoError(u.t, os.Mkdir(dir, 0o700))
	return testfile.LinkPrograms(u.t, dir, names...)
}

// goEnv are the variables by which Go finds what it has fetched and built before.
func goEnv(t *testing.T) []string {
	t.Helper()
	names := []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOROOT"}
	values, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	testhome.NoError(t, err)
	for i, value := range strings.Split(strings.TrimSpace(string(values)), "\n") {
		names[i] += "=" + value
	}
	return names
}

// npmEnv are the variables by which npm reaches the registry as it does outside the test, and keeps what it has fetched.
func npmEnv(t *testing.T) []string {
	t.Helper()
	cache, err := cacheDir()
	testhome.NoError(t, err)
	env := []string{"npm_config_cache=" + filepath.Join(cache, "npm"), "npm_config_prefer_offline=true"}
	for _, name := range []string{"registry", "cafile"} {
		value, err := exec.Command("npm", "config", "get", name).Output()
		testhome.NoError(t, err)
		if value := strings.TrimSpace(string(value)); value != "null" {
			env = append(env, "npm_config_"+name+"="+value)
		}
	}
	return append(env, given("NODE_EXTRA_CA_CERTS")...)
}

// given returns the entries of these variables that the tests were started with.
func given(names ...string) []string {
	var env []string
	for _, name := range names {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// hosts returns the hosts of all addresses in the values of variables.
func hosts(env []string) string {
	var found []string
	for _, entry := range env {
		_, value, _ := strings.Cut(entry, "=")
		for _, part := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == '|' }) {
			if address, err := url.Parse(part); err == nil && address.Host != "" {
				found = append(found, address.Hostname())
			}
		}
	}
	return strings.Join(found, ",")
}

// setsUp runs the first command in a terminal: it installs, logs in and ends in codex's terminal interface.
func (u stranger) setsUp(command string) {
	u.t.Helper()
	w := u.openTerminal(strings.TrimSpace(command))
	u.session(w, "the first of all prompts", chatgpt.Token(1), w.ended)
	if got := w.wait(); got != "0" {
		u.t.Errorf("the set-up command exits %s, want 0", got)
	}
	w.close()
}

// session waits until the terminal shows codex's interface, with any login before it, asks and quits.
func (u stranger) session(w *terminal, prompt, token string, ended func() bool) {
	u.t.Helper()
	u.browse(u.openAI, "codex's terminal interface", func() bool {
		return strings.Contains(w.screen(), "gpt-5 default") || ended()
	})
	w.await("gpt-5 default")
	w.ask(prompt)
	if got := u.turn(prompt).Bearer; got != token {
		u.t.Errorf("asked %q, codex sends %q, want %q", prompt, got, token)
	}
	w.await(responses.Reply)
	w.tmux("send-keys", "C-d")
}

// passesTests runs the tests of one package of the clone: whoever runs this test runs all others too, and it must not run itself.
func (u stranger) passesTests(command string) {
	u.t.Helper()
	c := u.commandWithin(ages, "/bin/sh", "-euc", strings.TrimSpace(command)+" ./internal/say")
	if r := u.run(c); r.status != 0 || !strings.Contains(r.stdout, "swop/internal/say") || strings.Contains(r.stdout, "FAIL") {
		u.t.Errorf("%s exits %d: %s%s", command, r.status, r.stdout, r.stderr)
	}
}

// livesWithIt types every line of a day into one new shell.
func (u stranger) livesWithIt(lines string) {
	u.t.Helper()
	u.mkdir("clients/acme")
	statuses := filepath.Join(u.home, "statuses")
	w := u.openTerminal("bash -i", "PROMPT_COMMAND=echo $? >>"+statuses)
	n := 1
	prompted := func() bool {
		text, err := os.ReadFile(statuses)
		return err == nil && strings.Count(string(text), "\n") >= n
	}
	for line := range strings.Lines(lines) {
		eventually(u.t, "the shell's prompt", prompted)
		n++
		w.tmux("clear-history")
		command := strings.TrimSpace(line)
		w.ask(command)
		if strings.HasSuffix(command, "codex") {
			u.session(w, "asked beside: "+command, chatgpt.Token(2), func() bool { return false })
		}
		if !u.browse(u.openAI, "the end of "+command, prompted) {
			u.t.Fatalf("the terminal shows\n%s", w.screen())
		}
	}
	text, err := os.ReadFile(statuses)
	if want := strings.Repeat("0\n", n); err != nil || string(text) != want {
		u.t.Errorf("the day's commands exit %q (%v), want %q; the terminal shows\n%s", text, err, want, w.tmux("capture-pane", "-p", "-S", "-"))
	}
}

// TestPicture types the commands of the README's picture, as a user of whose accounts one is nearly at its limit, with the prompt of
// docs/shell-prompt.md.
func TestPicture(t *testing.T) {
	testhome.Needs(t, "tmux")
	const file = "../../../docs/picture.svg"
	m := newUsageReader(t)
	m.ok(m.swop("use", "work"))
	prompt := ""
	for _, b := range readPage(t, "docs/shell-prompt.md") {
		if b.language == "bash" {
			prompt += b.text
		}
	}
	ended := filepath.Join(t.TempDir(), "ended")
	m.write(".scene", `PS1='\[\e[1;34m\]\w $\[\e[0m\] '`+"\n"+prompt+"\nPROMPT_COMMAND='echo >>"+ended+"'\n")
	w := m.openTerminal("bash --rcfile ~/.scene -i")
	w.tmux("resize-window", "-x", "45")
	commands, shown := []string{"codex swop usage", "codex swop use personal"}, []string{"4 % till", "(personal) ~/work $"}
	for n := range len(commands) + 1 {
		eventually(t, "the shell's prompt", func() bool {
			text, err := os.ReadFile(ended)
			return err == nil && len(text) > n && strings.HasSuffix(strings.TrimSpace(w.screen()), " $")
		})
		if n < len(commands) {
			w.ask(commands[n])
		}
	}
	for _, words := range shown {
		w.await(words)
	}
	text := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(testhome.TextOf(file), ""))
	text = strings.Join(strings.Fields(text), " ")
	for _, words := range append(commands, shown...) {
		if !strings.Contains(text, words) {
			t.Errorf("the picture lacks %q, which the terminal shows now: change its text", words)
		}
	}
}
