package usage

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// script is a codex that is a shell script: it says hello, and then what answer says.
func script(answer string) Question {
	text := "read hello\necho '{\"id\":1,\"result\":{}}'\nread initialized\nread question\n" + answer
	return Question{Path: "/bin/sh", Args: []string{"codex", "-c", text}, Env: os.Environ(), At: asked}
}

func ask(t *testing.T, q Question, limit time.Duration) (Reading, Problem, time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	start := time.Now()
	r, err := Ask(ctx, q)
	return r, ProblemOf(err), time.Since(start)
}

func TestAsk(t *testing.T) {
	const patience = time.Minute
	const good = `echo '{"id":2,"result":{"rateLimits":{"planType":"plus"}}}'` + "\n"
	for _, tt := range []struct {
		name, answer string
		want         Problem
	}{
		{"an answer", good, ""},
		{"an answer, and more after it", good + "yes | head -c 1000000", ""},
		{"notifications and noise before", "echo hi\necho '{\"method\":\"x\"}'\necho '{\"id\":7,\"result\":{}}'\necho '{\"id\":2,\"method\":\"ask\"}'\n" + good, ""},
		{"an end without an answer", "exit 0", Unsupported},
		{"an answer without a result", `echo '{"id":2}'`, Unreadable},
		{"an empty result", `echo '{"id":2,"result":{}}'`, Unreadable},
		{"10 MB", `printf '{"id":2,"result":{"rateLimits":{"planType":"plus"}},"x":"'; head -c 10000000 /dev/zero | tr '\0' x; echo '"}'`, Unreadable},
		{"notifications without end", `while echo '{"method":"x"}'; do :; done`, Unreadable},
		{"no login", `echo '{"id":2,"error":{"code":-32600,"message":"codex account authentication required to read rate limits"}}'`, LoggedOut},
		{"an API key", `echo '{"id":2,"error":{"code":-32600,"message":"chatgpt authentication required to read rate limits"}}'`, APIKey},
		{"an old release", `echo '{"id":2,"error":{"code":-32600,"message":"Invalid request: unknown variant account/rateLimits/read"}}'`, Unsupported},
		{"0.47", `echo '{"id":2,"error":{"code":-32600,"message":"Invalid request"}}'`, Unsupported},
		{"an unknown method", `echo '{"id":2,"error":{"code":-32601,"message":"x"}}'`, Unsupported},
		{"refused", `echo '{"id":2,"error":{"code":-32603,"message":"GET https://x failed: 401 Unauthorized; body={\"secret\":1}"}}'`, Refused},
		{"offline", `echo '{"id":2,"error":{"code":-32603,"message":"error sending request for url (https://x)"}}'`, Offline},
		{"another error", `echo '{"id":2,"error":{"code":-32603,"message":"GET https://x failed: 500"}}'`, Failed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, problem, _ := ask(t, script(tt.answer), patience)
			if problem != tt.want || problem == "" && r.Plan != "plus" {
				t.Errorf("Ask = %+v, %q, want %q", r, problem, tt.want)
			}
		})
	}
	if _, problem, _ := ask(t, Question{Path: "/nonexistent/codex"}, patience); problem != Unsupported {
		t.Errorf("without a codex the problem is %q, want %q", problem, Unsupported)
	}
}

// Neither a codex that never answers, nor one that goes on after the end of its input, nor its child outlives the question.
func TestAskEnds(t *testing.T) {
	for name, answer := range map[string]string{
		"never answers": "trap '' TERM; while :; do sleep 0.01; done",
		"goes on":       `trap "" TERM; echo '{"id":2,"result":{"rateLimits":{}}}'; while :; do sleep 0.01; done`,
		"has a child":   "(trap '' TERM HUP; while :; do sleep 0.01; done) & wait",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := script(answer)
			mark := "SWOP_TEST_MARK=" + t.TempDir()
			q.Env = append(q.Env, mark)
			_, problem, took := ask(t, q, 100*time.Millisecond)
			if want := map[bool]Problem{true: "", false: Timeout}[name == "goes on"]; problem != want {
				t.Errorf("the problem is %q, want %q", problem, want)
			}
			if took > 100*time.Millisecond+3*endTime {
				t.Errorf("it took %v", took)
			}
			wantGone(t, mark)
		})
	}
}

// wantGone waits until no process has the variable.
func wantGone(t *testing.T, variable string) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		left := ""
		files, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, file := range files {
			if text, err := os.ReadFile(file); err == nil && strings.Contains(string(text), variable) {
				left = file
			}
		}
		if left == "" {
			return
		}
		if time.Now().After(end) {
			t.Errorf("%s is still there", left)
			var pid int
			_, _ = fmt.Sscanf(left, "/proc/%d/environ", &pid) // the form of the pattern
			_ = unix.Kill(pid, unix.SIGKILL)
			return
		}
	}
}
