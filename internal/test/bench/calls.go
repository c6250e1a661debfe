//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
)

// reasons say why a start makes each of its system calls: the first one whose pattern matches counts. A call without a reason fails the run.
var reasons = []struct{ pattern, reason string }{
	{`^(read|close|fstat)\(`, "of the file before"},
	{`root\.json`, "where the shared home is"},
	{`config/swop/config\.toml`, "the user's settings"},
	{`selector\.toml`, "which account"},
	{`/\.config(/swop)?"`, "no other user may write where the selector lies"},
	{`/proc/self/exe`, "which file the shim itself is, so that it does not start itself"},
	{`getcwd`, "the working directory: for bindings, the loop guard, and codex's project configuration"},
	{`clock_gettime`, "the time: of the loop guard, and of this look"},
	{`(stat|faccessat).*bin/codex"`, "which codex is next on PATH, and that it can be executed"},
	{`locks/work|flock`, "the session's lock, which codex inherits"},
	{`swop/pending`, "which accounts ran since their last look"},
	{`getdents`, "which accounts ran since their last look"},
	{`meta\.json`, "the account, and when it was used"},
	{`^p(read|write)64\(`, "what the last look saw, and the time of this one"},
	{`/stamp`, "what the last look saw"},
	{`accounts/work/pinned`, "pinned names, which stay private: did they change?"},
	{`accounts/work/home/\.codex/config\.toml`, "does codex's configuration force a login that is not this account's?"},
	{`\.codex/config\.toml`, "does that of a project at or above the working directory?"},
	{`stat.*/home/\.codex/auth\.json"`, "does the account have a login?"},
	{`stat.*/home/\.codex"`, "the codex home in the sandbox: only the user's, and unchanged"},
	{`stat.*accounts/work/home"`, "the sandbox's home: only the user's, and unchanged"},
	{`stat.*accounts/work"`, "the sandbox: only the user's"},
	{`stat.*\.swop/accounts"`, "the accounts root: only the user's"},
	{`stat.*\.swop"`, "the root: only the user's"},
	{`stat.*/calls-bin/\.codex"`, "the shared home: the recorded one, and unchanged"},
	{`stat.*/calls-bin"`, "the real home: the user's own, and unchanged"},
	{`launcher|node_modules`, "is the real codex npm's launcher?"},
	{`geteuid|getegid`, "which user this is"},
	{`prlimit64`, "the limit of open files as it was: Go raised its own"},
	{`execve`, "codex"},
}

// runtimeCalls are those that Go's runtime makes at any time, on any thread.
var runtimeCalls = regexp.MustCompile(`^(futex|nanosleep|sched_yield|sched_getaffinity|madvise|mmap|munmap|tgkill|getpid|gettid|clone|clone3|rt_sig\w+|sigaltstack|epoll_\w+|mprotect|prctl|--- |pread64\(\d+</sys/fs/cgroup/|\+\+\+ )`)

func (b *bench) calls() {
	u, err := b.scene(current, "calls", b.path("target"), everyday)
	if !b.check(err) {
		return
	}
	mine, err := u.trace(u.program("codex"))
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
	if strings.HasSuffix(path, "/.codex/config.toml") && !strings.HasPrefix(path, "~") {
		path = "…/.codex/config.toml"
	}
	return "`" + path + "`"
}

// trace returns the calls of a start between the first file of ours and the exec, in order.
func (u scene) trace(program string) ([]string, error) {
	file := u.b.path("strace")
	cmd := exec.Command("strace", "-f", "-y", "-qq", "-s", "300", "-o", file, program)
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
	for _, call := range joinCalls(string(text)) {
		began = began || strings.Contains(call, "root.json")
		if !began || runtimeCalls.MatchString(call) {
			continue
		}
		calls = append(calls, call)
		if strings.HasPrefix(call, "execve") {
			return calls, nil
		}
	}
	return calls, nil
}

// joinCalls returns the calls in the output of strace -f, in the order in which they began, without the thread's number. Where strace splits
// a call over two lines, because another thread made one in between, its parts are joined.
func joinCalls(text string) (calls []string) {
	unfinished := map[string]int{} // by thread: the place in calls
	for line := range strings.Lines(text) {
		thread, call, _ := strings.Cut(strings.TrimSpace(line), " ")
		call = strings.TrimSpace(call)
		if _, rest, ok := strings.Cut(call, " resumed>"); ok && strings.HasPrefix(call, "<... ") {
			calls[unfinished[thread]] += rest
			continue
		}
		call, split := strings.CutSuffix(call, "<unfinished ...>")
		if split {
			unfinished[thread] = len(calls)
		}
		calls = append(calls, call)
	}
	return calls
}
