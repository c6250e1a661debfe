package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"swop/config"
	"swop/internal/testhome"
	"swop/manager/history"
)

// planted is in every secret that is planted, and nowhere else.
const planted = "s3cr3tmark"

// jwt is an id token. Its payload and signature are marked, but its claims are for display.
func jwt(claims string) string {
	return "eyJhbGciOiJub25lIn0." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + "." + planted + "-signature"
}

var idToken = jwt(`{"email":"me@example.org","jti":"` + planted + `-jti","https://api.openai.com/auth":{"chatgpt_plan_type":"pro","chatgpt_account_id":"` + planted + `-account"}}`)

// chatgpt is an auth.json with every token.
var chatgpt = `{"auth_mode":"chatgpt","OPENAI_API_KEY":"sk-` + planted + `-unused","tokens":{"id_token":"` + idToken + `","access_token":"` +
	planted + `-access","refresh_token":"` + planted + `-refresh","account_id":"` + planted + `-id"},"last_refresh":"2026-07-01T10:00:00Z"}`

// logins are the auth.json of the accounts, by key: whole ones, and what a crash or an editor makes of them.
var logins = map[string]string{
	"key":       `{"OPENAI_API_KEY":"sk-` + planted + `"}`,
	"chat":      chatgpt,
	"cut":       chatgpt[:len(chatgpt)-60],
	"comma":     strings.Replace(chatgpt, `,"tokens"`, `,,"tokens"`, 1),
	"bare":      "sk-" + planted + "-bare",
	"quotes":    `{"OPENAI_API_KEY":sk-` + planted + `}`,
	"number":    `{"OPENAI_API_KEY":{"` + planted + `":12}}`,
	"array":     `["` + planted + `"]`,
	"claims":    strings.Replace(chatgpt, idToken, jwt(`{"email":{"`+planted+`":"x"}}`), 1),
	"nobase":    strings.Replace(chatgpt, idToken, "a."+planted+".b", 1),
	"escape":    `{"OPENAI_API_KEY":"sk-` + planted + `\q"}`,
	"workspace": chatgpt,
}

// codexConfig is a config.toml of codex with the secrets that people put there.
const codexConfig = `model_provider = "mine"
[model_providers.mine]
name = "mine"
experimental_bearer_token = "` + planted + `-bearer"
http_headers = { Authorization = "Bearer ` + planted + `" }
[mcp_servers.x]
command = "true"
env = { TOKEN = "` + planted + `" }
`

// ownVariables are the caller's; they go to every program as they are.
var ownVariables = []string{"OPENAI_API_KEY=sk-" + planted + "-1", "CODEX_API_KEY=sk-" + planted + "-2", "CODEX_ACCESS_TOKEN=" + planted + "-3"}

// damages are what is wrong with the files that a verb reads, the secret beside it. A file is relative to the home.
var damages = []struct{ name, file, text string }{
	{name: "nothing"},
	{"codex's config.toml", ".codex/config.toml", codexConfig + "bad = " + planted + "\nforced_login_method = " + planted + "\n"},
	{"a forced login", ".codex/config.toml", "forced_login_method = \"api\"\nforced_chatgpt_workspace_id = \"w\"\n" + codexConfig},
	{"a word in config.toml", ".config/swop/config.toml", "launch = \"native\"\ntoken = " + planted + "\n"},
	{"an unknown key in config.toml", ".config/swop/config.toml", "token = \"" + planted + "\"\n"},
	{"an open string in config.toml", ".config/swop/config.toml", "[home]\nprivate = [\"sk-" + planted + "\n"},
	{"a wrong escape in config.toml", ".config/swop/config.toml", "x = \"\\q" + planted + "\"\n"},
	{"a date in config.toml", ".config/swop/config.toml", "x = 2026-07-01" + planted + "\n"},
	{"a wrong type in config.toml", ".config/swop/config.toml", "codex = [\"" + planted + "\"]\nisolation = { a = \"" + planted + "\" }\n"},
	{"the selector", ".config/swop/selector.toml", "account = \"key\"\n" + chatgpt + "\n"},
	{"a login in the selector's place", ".config/swop/selector.toml", logins["bare"]},
	{"a login in meta.json's place", ".swop/accounts/key/meta.json", chatgpt},
	{"a cut login in meta.json's place", ".swop/accounts/key/meta.json", logins["cut"]},
	{"a login in root.json's place", ".swop/root.json", chatgpt},
	{"a torn stamp", ".swop/accounts/key/stamp", chatgpt},
	{"the kept names", ".swop/accounts/key/kept", chatgpt},
}

// secretCalls are calls of each verb of the command tree, and of codex itself: "". A new verb is to be added here.
var secretCalls = map[string][]string{
	"": {
		"codex", "codex exec hi", "codex login", "codex login status", "codex logout", "codex update",
		"SWOP_ACCOUNT=chat codex exec hi", "SWOP_ACCOUNT=cut codex exec hi", "SWOP_ACCOUNT=new codex exec hi", "SWOP_BYPASS=1 codex",
		"SWOP_ACCOUNT=workspace codex -c forced_chatgpt_workspace_id=w exec hi",
	},
	"add": {
		"swop add key --no-login", "swop add new --with-api-key", "swop add new --import @/login/auth.json", "swop add new --import @/login/bad.json",
		"swop add new --from @/login", "FAKE_EXIT=1 swop add new --device-auth", "swop add", "swop add new --state " + "odd",
	},
	"list":       {"swop list", "swop list --json"},
	"usage":      {"swop usage", "swop usage --json", "swop usage chat --cached", "swop usage key --timeout 1s"},
	"pick":       {"swop pick", "swop pick --json", "swop pick --refresh", "swop pick @none-such"},
	"next":       {"swop next", "SWOP_ACCOUNT=chat swop next --dry-run", "SWOP_ACCOUNT=key swop next"},
	"sessions":   {"swop sessions", "swop sessions --all --json"},
	"resume":     {"swop resume --last", "swop resume none-such", "swop resume", "swop resume --last --as cut"},
	"use":        {"swop use auto", "swop use chat", "swop use none-such", "swop use --none", "swop use"},
	"bind":       {"swop bind chat @/dir"},
	"unbind":     {"swop unbind @/dir"},
	"ask":        {"swop ask --write /tmp", "swop ask --connect example.com:443 -- true"},
	"approvals":  {"swop approvals", "swop approvals --json"},
	"allow":      {"swop allow chat", "swop allow /tmp --for 1m"},
	"deny":       {"swop deny chat", "swop deny /tmp --always"},
	"confine":    {"swop confine", "swop confine --json", "SWOP_CONFINE=read-only SWOP_ACCOUNT=chat swop confine"},
	"which":      {"swop which", "swop which --json", "swop which --short", "SWOP_ACCOUNT=cut swop which"},
	"remove":     {"swop remove key", "swop remove key --yes", "swop remove cut --yes", "swop remove agent --yes", "FAKE_EXIT=1 swop remove chat --yes --logout"},
	"rename":     {"swop rename key other", "swop rename cut other"},
	"login":      {"swop login key --with-api-key", "FAKE_EXIT=3 swop login chat"},
	"logout":     {"swop logout chat", "swop logout cut"},
	"run":        {"swop run chat -- true", "swop run cut -- false", "swop run chat -- none-such"},
	"shell":      {"swop shell chat", "swop shell cut"},
	"env":        {"swop env", "swop env chat --codex-home"},
	"sync":       {"swop sync", "swop sync chat", "swop sync key --share x", "swop sync --shared-home @/dir"},
	"history":    {"swop history", "swop history --json", "swop history --prune", "swop history @/home/.codex/.credentials.json --diff"},
	"restore":    {"swop restore @/home/.codex/.credentials.json", "swop restore @/home/.codex/config.toml"},
	"doctor":     {"swop doctor", "swop doctor --json", "swop doctor --fix"},
	"install":    {"swop install --prefix @/prefix --yes", "swop install --prefix @/login/auth.json --yes"},
	"uninstall":  {"swop uninstall --yes", "swop uninstall --purge", "swop uninstall --purge --yes"},
	"version":    {"swop version"},
	"help":       {"swop help", "swop help add", "swop nonsense"},
	"completion": {"swop completion bash", "swop completion zsh", "swop completion fish", "swop __complete use ''", "swop __complete run cut"},
	"man":        {"swop man"},
	"bridge":     {"swop bridge", "swop bridge --json", "swop bridge check x"},
	"host":       {"swop host deploy"},
	"sandbox":    {"swop sandbox --account key -- true", "swop sandbox --account cut --json -- true"},
}

// Each verb has its calls above, so that the next one that is made has too.
func TestSecretVerbs(t *testing.T) {
	root := (&app{env: config.Env{}}).root()
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		if len(secretCalls[cmd.Name()]) == 0 {
			t.Errorf("the verb %q is not in the table of calls: whether it shows a secret is not tested", cmd.Name())
		}
	}
}

// secretPlace is a home with accounts and secrets, which is set up again for each call.
type secretPlace struct {
	t               *testing.T
	base, home, bin string
	start           string          // what is there before each call
	damaged         string          // the file that is damaged, which a rename takes along
	before          map[string]bool // the files that have a secret
	traced          bool            // by strace, which sees the programs that start
	seen            int             // how many those are
}

func TestMain(m *testing.M) {
	os.Exit(testhome.Suite{Tests: m, Programs: []string{"strace"}}.Run())
}

// TestSecrets makes all of the calls, with -short every sixth.
func TestSecrets(t *testing.T) {
	p := newSecretPlace(t)
	made := 0
	next, step := testhome.Points(t, 6)
	for _, damage := range damages {
		for _, name := range slices.Sorted(mapKeys(secretCalls)) {
			calls := secretCalls[name]
			switch parsed := strings.HasSuffix(damage.file, "config.toml"); {
			case parsed && !slices.Contains([]string{"", "add", "doctor", "list"}, name):
				continue // all read it in the one way
			case damage.file != "":
				calls = calls[:1]
			}
			for _, call := range calls {
				if made++; made-1 != next {
					continue
				}
				next += step
				p.reset(damage.file == "")
				if damage.file != "" {
					p.write(filepath.Join("home", damage.file), damage.text)
				}
				p.before, p.damaged = p.marked(), damage.file
				p.call(damage.name, call)
			}
		}
	}
	t.Run("programs that were started", func(t *testing.T) {
		testhome.Needs(t, "strace")
		if p.seen < 60 && !testing.Short() {
			t.Errorf("only %d were seen", p.seen)
		}
	})
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for key := range m {
			if !yield(key) {
				return
			}
		}
	}
}

func newSecretPlace(t *testing.T) *secretPlace {
	programs, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	base, err := os.MkdirTemp("/dev/shm", "swop-secret") // where a sync costs nothing
	if err != nil {
		base = filepath.Join(programs, "base")
		must(t, os.Mkdir(base, 0o700))
	}
	t.Cleanup(func() { must(t, os.RemoveAll(base)) })
	leftOut, err := testhome.IsLeftOut("strace")
	must(t, err)
	p := &secretPlace{t: t, traced: !leftOut, base: base, home: filepath.Join(base, "home"), bin: filepath.Join(programs, "bin")}
	for name, pkg := range map[string]string{"codex": "swop/shim/codex", "codex-swop": "."} {
		out, err := exec.Command("go", "build", "-buildvcs=false", "-o", filepath.Join(p.bin, name), pkg).CombinedOutput()
		if err != nil {
			t.Fatalf("go build %s: %v\n%s", pkg, err, out)
		}
	}
	fake := filepath.Join(p.bin, "fake", "codex")
	must(t, os.Mkdir(filepath.Dir(fake), 0o700))
	must(t, os.WriteFile(fake, []byte(`#!/bin/sh
case "$1" in
login) [ -z "$FAKE_EXIT" ] && { umask 077; echo '{"OPENAI_API_KEY":"sk-`+planted+`-new"}' > "${CODEX_HOME:-$HOME/.codex}/auth.json"; } ;;
logout) [ -z "$FAKE_EXIT" ] && rm -f "${CODEX_HOME:-$HOME/.codex}/auth.json" ;;
--version) echo codex-cli 0.169.0 ;;
esac
exit ${FAKE_EXIT:-0}
`), 0o755))
	p.write("home/.codex/config.toml", codexConfig)
	p.write("home/.codex/auth.json", chatgpt)
	p.write("home/.codex/.credentials.json", `{"x":{"access_token":"`+planted+`"}}`)
	p.write("home/.codex/history.jsonl", "one")
	p.write("home/.codex/sessions/one.jsonl", "one")
	for key, login := range logins {
		p.setUp("add", key, "--no-login")
		p.write(filepath.Join("home/.swop/accounts", key, "home/.codex/auth.json"), login)
	}
	p.setUp("add", "agent", "--state", "private", "--no-login")
	p.setUp("sync")
	p.write("home/.swop/accounts/agent/home/.codex/sessions/own.jsonl", "one")
	kept := "home/.swop/kept/" + history.NewID(time.Now())
	p.write(kept+"/files/.credentials.json", `{"x":{"access_token":"`+planted+`-old"}}`)
	p.write(kept+"/about.json", `{"schema_version":1,"view":"codex","path":"\".credentials.json\"","account":"key","why":"replaced","time":"2026-01-01T00:00:00Z"}`)
	// Versions that will be displaced, and leftovers.
	p.write("home/.swop/accounts/chat/home/.codex/new-"+"entry", "one")
	p.setUp("use", "key")
	must(t, os.MkdirAll(filepath.Join(base, "dir"), 0o700))
	p.write("login/auth.json", chatgpt)
	p.write("login/bad.json", logins["cut"])
	p.start = filepath.Join(base, "start")
	must(t, os.Mkdir(p.start, 0o700))
	for _, name := range []string{"home", "login", "dir"} {
		must(t, os.Rename(filepath.Join(base, name), filepath.Join(p.start, name)))
	}
	must(t, exec.Command("/bin/cp", "-a", p.start, p.start+".few").Run())
	for key := range logins {
		if !slices.Contains([]string{"key", "chat", "cut"}, key) {
			must(t, os.RemoveAll(filepath.Join(p.start+".few", "home/.swop/accounts", key)))
		}
	}
	return p
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (p *secretPlace) write(name, text string) {
	p.t.Helper()
	file := filepath.Join(p.base, name)
	must(p.t, os.MkdirAll(filepath.Dir(file), 0o700))
	must(p.t, os.WriteFile(file, []byte(text), 0o600))
}

// setUp is a call of a verb that is to succeed.
func (p *secretPlace) setUp(args ...string) {
	p.t.Helper()
	cmd := exec.Command(filepath.Join(p.bin, "codex-swop"), args...)
	cmd.Env = p.env()
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("%q: %v\n%s", args, err, out)
	}
}

func (p *secretPlace) env() []string {
	return append([]string{"HOME=" + p.home, "PATH=" + p.bin + ":" + filepath.Join(p.bin, "fake") + ":/usr/bin:/bin", "LANG=C.UTF-8"}, ownVariables...)
}

// reset makes the home as it was, with all its accounts or the few that calls name.
func (p *secretPlace) reset(all bool) {
	start := p.start
	if !all {
		start += ".few"
	}
	for _, name := range []string{"home", "login", "dir", "prefix"} {
		must(p.t, os.RemoveAll(filepath.Join(p.base, name)))
	}
	must(p.t, exec.Command("/bin/cp", "-a", filepath.Join(start, "home"), filepath.Join(start, "login"), filepath.Join(start, "dir"), p.base).Run())
	// Two versions of a file with a secret.
	p.write("home/.swop/accounts/chat/home/.codex/config.toml.new", codexConfig+"# own\n")
	must(p.t, os.Rename(filepath.Join(p.home, ".swop/accounts/chat/home/.codex/config.toml.new"), filepath.Join(p.home, ".swop/accounts/chat/home/.codex/config.toml")))
}

// call makes a call, and greps all that comes of it.
func (p *secretPlace) call(damage, call string) {
	name := fmt.Sprintf("%s, with damage to %s", call, damage)
	env, words := p.env(), strings.Fields(strings.ReplaceAll(call, "@", p.base))
	for strings.Contains(words[0], "=") {
		env, words = append(env, words[0]), words[1:]
	}
	trace := filepath.Join(p.base, "trace")
	args := []string{"-f", "-qq", "-v", "-s", "1000000", "-e", "trace=execve,execveat", "-e", "signal=none", "-o", trace, filepath.Join(p.bin, words[0])}
	if words[0] == "swop" {
		args[len(args)-1] = filepath.Join(p.bin, "codex-swop")
	}
	args = append(args, words[1:]...)
	program := "strace"
	if damage != "nothing" || !p.traced {
		program, args = args[len(args)-len(words)], args[len(args)-len(words)+1:]
	}
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Dir = env, filepath.Join(p.base, "dir")
	cmd.Stdin = strings.NewReader("sk-" + planted + "-stdin\n")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal to ask on
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatalf("%s: %v", name, err)
	}
	for where, text := range map[string]string{"stdout": stdout.String(), "stderr": stderr.String()} {
		if hasMark(text) {
			p.t.Errorf("%s: a secret is on %s: %q", name, where, text)
		}
		if strings.Contains(text, "goroutine ") {
			p.t.Errorf("%s: a stack trace is on %s: %q", name, where, text)
		}
	}
	if program == "strace" {
		p.wantClean(name, trace)
	}
	for file := range p.marked() {
		if !p.before[file] && !loginFile(file) && filepath.Base(file) != filepath.Base(p.damaged) {
			p.t.Errorf("%s: a secret is in %s", name, file)
		}
	}
}

// wantClean looks at the arguments and the environment of every program that was started.
func (p *secretPlace) wantClean(name, trace string) {
	text, err := os.ReadFile(trace)
	must(p.t, err)
	for _, own := range ownVariables {
		text = bytes.ReplaceAll(text, fmt.Appendf(nil, "%q", own), nil)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if strings.Contains(line, "execve") {
			p.seen++
		}
		if hasMark(line) {
			p.t.Errorf("%s: a secret is in arguments or environment: %s", name, line)
		}
	}
}

// hasMark reports whether a secret is in the text, also as base64 and in hexadecimal.
func hasMark(text string) bool {
	forms := []string{planted, fmt.Sprintf("%x", planted)}
	for i := range 3 {
		// The letters that do not depend on what is before and behind.
		encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", i) + planted))
		forms = append(forms, encoded[(i*8+5)/6:len(encoded)-2])
	}
	return slices.ContainsFunc(forms, func(form string) bool { return strings.Contains(text, form) })
}

// marked returns the files that have a secret in their text or in their name.
func (p *secretPlace) marked() map[string]bool {
	found := map[string]bool{}
	for _, dir := range []string{"home", "login", "dir"} {
		must(p.t, filepath.WalkDir(filepath.Join(p.base, dir), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			target, _ := os.Readlink(path) // "" where it is no link
			text := path + target
			if entry.Type().IsRegular() {
				content, err := os.ReadFile(path)
				must(p.t, err)
				text += string(content)
			}
			if hasMark(text) {
				found[path] = true
			}
			return nil
		}))
	}
	return found
}

// loginFile reports whether the file is one that holds secrets wherever it goes: a login, and a version of the user's own file.
func loginFile(path string) bool {
	return slices.Contains([]string{"auth.json", ".credentials.json", "config.toml"}, filepath.Base(path))
}

// The search finds what it is to find.
func TestSecretSearch(t *testing.T) {
	for i := range 5 {
		text := strings.Repeat("y", i) + planted + "-signature"
		for _, form := range []string{text, base64.StdEncoding.EncodeToString([]byte(text)), fmt.Sprintf("%x", text)} {
			if !hasMark("before " + form + " behind") {
				t.Errorf("%q is not found", form)
			}
		}
	}
	if hasMark(base64.StdEncoding.EncodeToString([]byte("something else"))) {
		t.Error("something else is taken for a secret")
	}
}
