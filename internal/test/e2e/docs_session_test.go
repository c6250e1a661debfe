//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"swop/internal/test/testhome"
)

// The pages of docs speak of a home, which is a fresh one here.
const homeInDocs = "/home/me"

// A session is a reader who follows a page from its top: the working directory and the exported variables stay from one block
// to the next. There is no terminal.
type session struct {
	*user
	page  string
	state string // a directory with what the last block left
	run   map[string]func(*session, block)
	count tally

	printed string // by the last commands
}

// A tally says how many blocks of a page were run, and how many are marked not-run.
type tally struct{ run, notRun int }

// runners says how a block is run, by its language. A block with a target is written to that file instead.
func runners() map[string]func(*session, block) {
	return map[string]func(*session, block){
		"sh":      (*session).commands,
		"text":    (*session).prints,
		"crontab": (*session).crontab,
	}
}

func (u *user) reads(page string) *session {
	return &session{user: u, page: page, state: u.t.TempDir(), run: runners()}
}

// all runs the page to its end.
func (s *session) all() tally {
	s.t.Helper()
	for _, b := range readPage(s.t, s.page) {
		s.follow(b)
	}
	return s.count
}

func (s *session) follow(b block) {
	s.t.Helper()
	b.text = strings.ReplaceAll(b.text, homeInDocs, s.home)
	do, known := s.run[b.language]
	switch {
	case b.target == "not-run":
		s.count.notRun++
		return
	case b.target != "" && !strings.HasPrefix(b.target, "exits:"):
		s.file(b)
	case known:
		do(s, b)
	default:
		s.fail(b, "a block of %q is neither run nor written to a file", b.language)
	}
	s.count.run++
}

func (s *session) fail(b block, format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("%s:%d: %s", s.page, b.line, fmt.Sprintf(format, args...))
}

// file appends the block to its target, as a reader adds lines.
func (s *session) file(b block) {
	s.t.Helper()
	name, below := strings.CutPrefix(b.target, "~/")
	dir := s.home
	if !below {
		dir = s.directory()
	}
	name = filepath.Join(dir, name)
	testhome.NoError(s.t, os.MkdirAll(filepath.Dir(name), 0o700))
	mode := os.FileMode(0o600)
	if strings.HasPrefix(b.text, "#!") {
		mode = 0o700
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, mode)
	testhome.NoError(s.t, err)
	_, err = f.WriteString(b.text)
	testhome.NoError(s.t, err)
	testhome.NoError(s.t, f.Close())
}

// commands runs the block, which must succeed, or exit with the status of a target such as exits:4.
func (s *session) commands(b block) {
	s.t.Helper()
	want, _ := strconv.Atoi(strings.TrimPrefix(b.target, "exits:")) // 0 without one
	r := s.shell("exec 2>&1\n" + b.text)
	if r.status != want {
		s.fail(b, "exits %d, want %d: %s", r.status, want, r.stdout)
	}
	s.printed = strings.TrimRight(r.stdout, "\n")
}

// prints compares the block with what the last commands printed. There "…" matches anything in a line, and alone any lines.
func (s *session) prints(b block) {
	s.t.Helper()
	if want := strings.TrimRight(b.text, "\n"); !matches(want, s.printed) {
		s.fail(b, "the commands above print\n%s\nwant\n%s", s.printed, want)
	}
}

func matches(want, got string) bool {
	pattern := regexp.QuoteMeta(want)
	pattern = regexp.MustCompile(`(?m)^…\n`).ReplaceAllString(pattern, `(?s:(?:.*\n)?)`)
	pattern = regexp.MustCompile(`(?m)^…$`).ReplaceAllString(pattern, `(?s:.*)`)
	pattern = strings.ReplaceAll(pattern, "…", `.*`)
	return regexp.MustCompile(`\A` + pattern + `\z`).MatchString(got)
}

// shell runs a script where the one before it ended.
func (s *session) shell(script string) result {
	s.t.Helper()
	c := s.commandWithin(ages, "/bin/sh", "-euc", `
[ ! -e "$DOCS_STATE/env" ] || . "$DOCS_STATE/env"
[ ! -e "$DOCS_STATE/dir" ] || cd "$(cat "$DOCS_STATE/dir")"
trap 'export -p >"$DOCS_STATE/env"; pwd >"$DOCS_STATE/dir"' EXIT
`+script)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return s.user.run(c.with("DOCS_STATE=" + s.state))
}

// directory is where the last block ended.
func (s *session) directory() string {
	s.t.Helper()
	dir, err := os.ReadFile(filepath.Join(s.state, "dir"))
	if os.IsNotExist(err) {
		return s.work
	}
	testhome.NoError(s.t, err)
	return strings.TrimSpace(string(dir))
}
