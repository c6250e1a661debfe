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
)

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

// workflow runs the steps of a GitHub workflow that are commands, in the environment that it gives to each: it understands only
// as much of YAML as the page needs.
func (u *user) workflow(file, secret string) {
	u.t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		u.t.Fatal(err)
	}
	// Before a job has a runner there is no runner to ask: GitHub refuses the file (actions/runner#2204).
	if before, _, _ := strings.Cut(string(text), "\n    steps:\n"); strings.Contains(before, "runner.") {
		u.t.Errorf("%s asks for the runner outside of a step:\n%s", file, before)
	}
	temp := u.t.TempDir()
	full := strings.NewReplacer("${{ runner.temp }}", temp, "${{ secrets.OPENAI_API_KEY }}", secret).Replace(string(text))
	if strings.Contains(full, "${{") || strings.Contains(full, "run: |") {
		u.t.Fatalf("%s has what this test does not understand:\n%s", file, full)
	}
	steps := strings.Split(full, "\n      - ")
	job := variables(steps[0])
	for _, step := range steps[1:] {
		command, isRun := strings.CutPrefix(step, "run: ")
		if !isRun {
			continue
		}
		command, rest, _ := strings.Cut(command, "\n")
		c := u.command("bash", "-e", "-c", command) // GitHub's default shell
		c.Env = withoutName(c.Env, "OPENAI_API_KEY")
		u.ok(c.with(job...).with(variables(rest)...))
	}
}

// variables are the entries of the mapping env in a part of a workflow.
func variables(part string) []string {
	var found []string
	_, env, _ := strings.Cut(part, "env:\n")
	for line := range strings.Lines(env) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			found = append(found, name+"="+value)
		}
	}
	return found
}

func withoutName(env []string, name string) []string {
	var rest []string
	for _, entry := range env {
		if !strings.HasPrefix(entry, name+"=") {
			rest = append(rest, entry)
		}
	}
	return rest
}

// setting is a value of VS Code's user settings.
func (u *user) setting(name string) string {
	u.t.Helper()
	text, err := os.ReadFile(filepath.Join(u.home, ".config", "Code", "User", "settings.json"))
	if err != nil {
		u.t.Fatal(err)
	}
	settings := map[string]string{}
	if err := json.Unmarshal(text, &settings); err != nil || settings[name] == "" {
		u.t.Fatalf("settings.json is %s: no %q: %v", text, name, err)
	}
	return settings[name]
}

// serves has a turn with `codex app-server` over standard input and output, as an editor's extension does.
func (u *user) serves(codex, prompt string) {
	u.t.Helper()
	c := u.command(codex, "app-server")
	stdin, err := c.StdinPipe()
	if err != nil {
		u.t.Fatal(err)
	}
	c.Stdout = nil
	stdout, err := c.StdoutPipe()
	if err != nil {
		u.t.Fatal(err)
	}
	u.start(c)
	s := &appServer{u, json.NewEncoder(stdin), bufio.NewReader(stdout)}
	s.ask(1, "initialize", object{"clientInfo": object{"name": "editor", "title": "Editor", "version": "1"}})
	s.send(object{"method": "initialized"})
	thread := s.ask(2, "thread/start", object{"cwd": u.work})
	s.ask(3, "turn/start", object{"threadId": thread.Result.Thread.ID, "input": []object{{"type": "text", "text": prompt}}})
	s.await(func(m message) bool { return m.Method == "turn/completed" })
	if err := stdin.Close(); err != nil {
		u.t.Fatal(err)
	}
	if r := u.finish(c); r.status != 0 {
		u.t.Errorf("%s exits %d, want 0: %s", c, r.status, r.stderr)
	}
}

type object = map[string]any

type appServer struct {
	*user
	out *json.Encoder
	in  *bufio.Reader
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
	} `json:"result"`
}

func (s *appServer) send(m object) {
	s.t.Helper()
	if err := s.out.Encode(m); err != nil {
		s.t.Fatal(err)
	}
}

func (s *appServer) ask(id int, method string, params object) message {
	s.t.Helper()
	s.send(object{"id": id, "method": method, "params": params})
	m := s.await(func(m message) bool { return m.ID == id && m.Method == "" })
	if m.Error != nil {
		s.t.Fatalf("%s: %v", method, m.Error)
	}
	return m
}

// await reads messages until one fits.
func (s *appServer) await(wanted func(message) bool) message {
	s.t.Helper()
	for {
		line, err := s.in.ReadBytes('\n')
		if err == io.EOF {
			s.t.Fatal("codex app-server has ended")
		}
		if err != nil {
			s.t.Fatal(err)
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			continue // a notification of another form
		}
		if wanted(m) {
			return m
		}
	}
}
