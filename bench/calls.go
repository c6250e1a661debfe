//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// reasons say why a start makes each of its system calls: the first whose pattern matches. A call without one fails the run.
var reasons = []struct{ pattern, reason string }{
	{`root\.json`, "where the shared home is"},
	{`config/swop/config\.toml`, "the user's settings"},
	{`selector\.toml`, "which account"},
	{`/\.config(/swop)?"`, "nobody else may write where the selector lies"},
	{`/proc/self/exe`, "which file the shim itself is, so that it does not start itself"},
	{`getcwd`, "the working directory: for bindings, the loop guard, and codex's project configuration"},
	{`clock_gettime`, "the time: of the loop guard, and of this look"},
	{`(stat|faccessat).*bin/codex"`, "which codex is next on PATH, and that it can be executed"},
	{`locks/work|flock`, "the session's lock, which codex inherits"},
	{`swop/pending`, "which other accounts ran since their last look"},
	{`getdents`, "which other accounts ran since their last look"},
	{`meta\.json`, "the account, and when it was used"},
	{`/stamp`, "what the last look saw"},
	{`pread64|pwrite64`, "what the last look saw, and the time of this one"},
	{`accounts/work/kept`, "names that the account keeps to itself: did they change?"},
	{`accounts/work/home/\.codex/config\.toml`, "does codex's configuration force a login that is not this account's?"},
	{`\.codex/config\.toml`, "does that of a project above the working directory?"},
	{`stat.*/home/\.codex"`, "the codex home in the sandbox: the user's alone, and unmoved"},
	{`stat.*accounts/work/home"`, "the sandbox's home: the user's alone, and unmoved"},
	{`stat.*accounts/work"`, "the sandbox: the user's alone"},
	{`stat.*\.swop/accounts"`, "the accounts root: the user's alone"},
	{`stat.*\.swop"`, "the root: the user's alone"},
	{`stat.*calls/\.codex"`, "the shared home: the recorded one, and unmoved"},
	{`stat.*calls"`, "the real home: the user's own, and unmoved"},
	{`launcher|node_modules`, "is the real codex npm's launcher?"},
	{`geteuid|getegid`, "who we are"},
	{`^(read|close|fstat)\(`, "of the file before"},
	{`execve`, "codex"},
}

// runtimeCalls are those that Go's runtime makes whenever it likes.
var runtimeCalls = regexp.MustCompile(`^(futex|nanosleep|sched_yield|madvise|mmap|munmap|tgkill|getpid|gettid|clone|clone3|rt_sig\w+|sigaltstack|epoll_\w+|mprotect|prctl|--- )`)

func (b *bench) calls() {
	u, err := b.scene("calls", b.path("target"), everyday)
	if !b.check(err) {
		return
	}
	mine, err := u.trace(b.path("bin/codex"))
	if !b.check(err) {
		return
	}
	fmt.Print("\n## The system calls of one start\n\nUntouched, after Go's runtime has begun; in order, those of the runtime left out.\n\n| call | why |\n|---|---|\n")
	n := 0
	for _, call := range mine {
		reason := reasonOf(call)
		if reason == "" {
			b.check(fmt.Errorf("no reason is known for %s", call))
		}
		name, rest, _ := strings.Cut(call, "(")
		fmt.Printf("| `%s` %s | %s |\n", name, subject(rest, u.home, b.dir), reason)
		n++
	}
	fmt.Printf("\n%d calls.\n", n)
}

func reasonOf(call string) string {
	for _, r := range reasons {
		if regexp.MustCompile(r.pattern).MatchString(call) {
			return r.reason
		}
	}
	return ""
}

var quotedPath = regexp.MustCompile(`"([^"]*)"`)

// subject is the path of a call as a reader of the page needs it.
func subject(rest, home, dir string) string {
	m := quotedPath.FindStringSubmatch(rest)
	if m == nil || !strings.HasPrefix(m[1], "/") {
		return ""
	}
	path := strings.Replace(m[1], home, "~", 1)
	path = strings.Replace(path, dir, "", 1)
	if rel, err := filepath.Rel(filepath.Dir(dir), path); err == nil && !strings.HasPrefix(rel, "..") {
		path = "…/" + filepath.Base(path)
	}
	if strings.HasSuffix(path, "/.codex/config.toml") && !strings.HasPrefix(path, "~") && !strings.HasPrefix(path, "/bin") {
		path = "…/.codex/config.toml"
	}
	return "`" + path + "`"
}

// trace returns the calls of a start between the first file of ours and the exec, in order.
func (u scene) trace(program string) ([]string, error) {
	file := u.b.path("strace")
	cmd := exec.Command("strace", "-f", "-qq", "-s", "300", "-o", file, program)
	cmd.Env, cmd.Dir = u.env(), u.home
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("strace: %w: %s", err, out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var calls []string
	began := false
	for line := range strings.Lines(string(text)) {
		_, call, _ := strings.Cut(strings.TrimSpace(line), " ")
		call = strings.TrimSpace(call)
		began = began || strings.Contains(call, "root.json")
		if !began || runtimeCalls.MatchString(call) || strings.HasPrefix(call, "<...") || strings.HasPrefix(call, "+++") {
			continue
		}
		calls = append(calls, call)
		if strings.HasPrefix(call, "execve") {
			return calls, nil
		}
	}
	return calls, nil
}
