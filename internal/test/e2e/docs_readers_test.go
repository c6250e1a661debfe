//go:build linux

package e2e

import (
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
	text := readText(u.t, file)
	// Before a job has a runner there is no runner to ask: GitHub refuses the file (actions/runner#2204).
	if before, _, _ := strings.Cut(text, "\n    steps:\n"); strings.Contains(before, "runner.") {
		u.t.Errorf("%s asks for the runner outside of a step:\n%s", file, before)
	}
	temp := u.t.TempDir()
	full := strings.NewReplacer("${{ runner.temp }}", temp, "${{ secrets.OPENAI_API_KEY }}", secret).Replace(text)
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
