//go:build linux

package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"swop/internal/test/testhome"
	"swop/internal/test/testprogram"
)

// TestDocsEditors follows the page: the SDK from npm runs codex through the shim, and so do the agent that Zed starts and what VS Code's
// extension does with its setting.
func TestDocsEditors(t *testing.T) {
	testhome.Needs(t, "npm", "node", "bwrap", testprogram.Repeats)
	u := newReader(t)
	u.env = append(u.env, npmEnv(t)...)
	u.follow("docs/editors.md", tally{run: 11})
	if got := u.turn("Say hello from the SDK").Bearer; got != personalLogin {
		t.Errorf("the SDK's codex sends %q, want %q", got, personalLogin)
	}
	u.ok(u.swop("bind", "acme", u.work))
	var code struct {
		Executable string `json:"chatgpt.cliExecutable"`
	}
	u.settings("Code/User/settings.json", &code)
	u.serves(code.Executable, "the editor's prompt")
	if got := u.turn("the editor's prompt").Bearer; got != acmeLogin {
		t.Errorf("the editor's codex sends %q, want %q, of the bound directory", got, acmeLogin)
	}
	var zed struct {
		Servers map[string]acpAgent `json:"agent_servers"`
	}
	u.settings("zed/settings.json", &zed)
	for name, want := range map[string]string{"Codex": acmeLogin, "Codex, personal": personalLogin} {
		u.prompts(zed.Servers[name], "asked of "+name)
		if got := u.turn("asked of " + name).Bearer; got != want {
			t.Errorf("the agent %q sends %q, want %q", name, got, want)
		}
	}
}

// settings fills in v from an editor's file of settings in ~/.config.
func (u *user) settings(file string, v any) {
	u.t.Helper()
	text, err := os.ReadFile(filepath.Join(u.home, ".config", file))
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		u.t.Fatalf("%s: %v", file, err)
	}
}

// serves has a turn with `codex app-server` over standard input and output, as an editor's extension does.
func (u *user) serves(codex, prompt string) {
	u.t.Helper()
	s := u.speak(u.command(codex, "app-server"))
	s.ask(1, "initialize", object{"clientInfo": object{"name": "editor", "title": "Editor", "version": "1"}})
	s.send(object{"method": "initialized"})
	thread := s.ask(2, "thread/start", object{"cwd": u.work})
	s.ask(3, "turn/start", object{"threadId": thread.Result.Thread.ID, "input": []object{{"type": "text", "text": prompt}}})
	s.await(func(m message) bool { return m.Method == "turn/completed" })
	s.hangUp()
}

// An acpAgent is a program that editors start to talk the Agent Client Protocol with it, as Zed's settings name one.
type acpAgent struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

// prompts has a turn with the agent, as an editor does.
func (u *user) prompts(a acpAgent, prompt string) {
	u.t.Helper()
	c := u.command(a.Command, a.Args...)
	for name, value := range a.Env {
		c.Env = append(c.Env, name+"="+value)
	}
	s := u.speak(c)
	s.ask(1, "initialize", object{"protocolVersion": 1, "clientCapabilities": object{}})
	session := s.ask(2, "session/new", object{"cwd": u.work, "mcpServers": []object{}})
	s.ask(3, "session/prompt", object{"sessionId": session.Result.SessionID, "prompt": []object{{"type": "text", "text": prompt}}})
	s.hangUp()
}

type object = map[string]any

// A peer is a program that an editor talks with by lines of JSON, over its standard input and output.
type peer struct {
	*user
	c     *command
	stdin io.Closer
	out   *json.Encoder
	in    *bufio.Reader
}

func (u *user) speak(c *command) *peer {
	u.t.Helper()
	stdin, err := c.StdinPipe()
	testhome.NoError(u.t, err)
	c.Stdout = nil
	stdout, err := c.StdoutPipe()
	testhome.NoError(u.t, err)
	u.start(c)
	return &peer{u, c, stdin, json.NewEncoder(stdin), bufio.NewReader(stdout)}
}

// hangUp ends the conversation, and with it the program.
func (s *peer) hangUp() {
	s.t.Helper()
	testhome.NoError(s.t, s.stdin.Close())
	if r := s.finish(s.c); r.status != 0 {
		s.t.Errorf("%s exits %d, want 0: %s", s.c, r.status, r.stderr)
	}
}

// A message is one line of the protocol, an answer or a notification.
type message struct {
	ID     int    `json:"id"`
	Method string `json:"method"`
	Error  any    `json:"error"`
	Result struct {
		Thread struct {
			ID string `json:"id"`
		} `json:"thread"`
		SessionID string `json:"sessionId"`
	} `json:"result"`
}

func (s *peer) send(m object) {
	s.t.Helper()
	m["jsonrpc"] = "2.0"
	testhome.NoError(s.t, s.out.Encode(m))
}

func (s *peer) ask(id int, method string, params object) message {
	s.t.Helper()
	s.send(object{"id": id, "method": method, "params": params})
	m := s.await(func(m message) bool { return m.ID == id && m.Method == "" })
	if m.Error != nil {
		s.t.Fatalf("%s: %v", method, m.Error)
	}
	return m
}

// await reads messages until one fits.
func (s *peer) await(wanted func(message) bool) message {
	s.t.Helper()
	for {
		line, err := s.in.ReadBytes('\n')
		if err == io.EOF {
			s.t.Fatal("the program has ended")
		}
		testhome.NoError(s.t, err)
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			continue // a notification of another form
		}
		if wanted(m) {
			return m
		}
	}
}

// What reads the files that the pages give: cron, GitHub's runner, an editor.

// crontab runs every job of a table at once, as cron does at its time: crontab(5).
func (s *session) crontab(b block) {
	s.t.Helper()
	env := []string{"HOME=" + s.home, "LOGNAME=me", "PATH=/usr/bin:/bin", "SHELL=/bin/sh"}
	jobs := 0
	for line := range strings.Lines(b.text) {
		line = strings.TrimSpace(line)
		name, value, isVariable := strings.Cut(line, "=")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case isVariable && !strings.ContainsAny(name, " \t*"):
			env = append(env, strings.TrimSpace(name)+"="+strings.TrimSpace(value))
		default:
			jobs++
			s.job(b, env, line)
		}
	}
	if jobs == 0 {
		s.fail(b, "there is no job")
	}
}

func (s *session) job(b block, env []string, line string) {
	s.t.Helper()
	fields := regexp.MustCompile(`^((?:[0-9*,/-]+\s+){5})(.*)$`).FindStringSubmatch(line)
	if fields == nil {
		s.fail(b, "%q is no line of a crontab", line)
	}
	command, stdin, _ := strings.Cut(strings.ReplaceAll(fields[2], `\%`, "\x00"), "%") // an unescaped % ends the command
	c := s.command("/bin/sh", "-c", strings.ReplaceAll(command, "\x00", "%"))
	c.Env, c.Dir = env, s.home
	c.fed(strings.ReplaceAll(stdin, "%", "\n"))
	if r := s.user.run(c); r.status != 0 || r.stdout+r.stderr != "" {
		s.fail(b, "the job exits %d, and cron would send a mail: %s%s", r.status, r.stdout, r.stderr)
	}
}
