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
