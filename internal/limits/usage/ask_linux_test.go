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

	"swop/internal/account/process"
	"swop/internal/account/rpc"
	"swop/internal/test/testhome"
)

// script is a codex that is a shell script: it says hello, and then what answer says.
func script(answer string, env ...string) rpc.Talker {
	text := "read hello\necho '{\"id\":1,\"result\":{}}'\nread initialized\nread question\n" + answer
	return asking(process.Program{Path: "/bin/sh", Args: []string{"codex", "-c", text}, Env: append(os.Environ(), env...)})
}

func asking(p process.Program) rpc.Talker {
	return func(ctx context.Context, ask func(*rpc.Conversation) error) error { return rpc.Talk(ctx, p, ask) }
}

func ask(t *testing.T, codex rpc.Talker, limit time.Duration) (Reading, Problem, time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	start := time.Now()
	r, err := Ask(ctx, codex, asked)
	return r, ProblemOf(err), time.Since(start)
}

const patience = time.Minute

func TestAsk(t *testing.T) {
	const good = `echo '{"id":2,"result":{"rateLimits":{"planType":"plus"}}}'` + "\n"
	for _, tt := range []struct {
		name, answer string
		want         Problem
	}{
		{"an answer", good, ""},
		{"notifications and noise before", "echo hi\necho '{\"method\":\"x\"}'\necho '{\"id\":7,\"result\":{}}'\necho '{\"id\":2,\"method\":\"ask\"}'\n" + good, ""},
		{"an end without an answer", "exit 0", Unsupported},
		{"an answer without a result", `echo '{"id":2}'`, Unreadable},
		{"10 MB", `printf '{"id":2,"result":{"rateLimits":{"planType":"plus"}},"x":"'; head -c 10000000 /dev/zero | tr '\0' x; echo '"}'`, Unreadable},
		{"no login", `echo '{"id":2,"error":{"code":-32600,"message":"codex account authentication required to read rate limits"}}'`, LoggedOut},
		{"an API key", `echo '{"id":2,"error":{"code":-32600,"message":"chatgpt authentication required to read rate limits"}}'`, APIKey},
		{"an old release", `echo '{"id":2,"error":{"code":-32600,"message":"Invalid request: unknown variant account/rateLimits/read"}}'`, Unsupported},
		{"refused", `echo '{"id":2,"error":{"code":-32603,"message":"GET https://x failed: 401 Unauthorized; body={\"secret\":1}"}}'`, Refused},
		{"refused a new token", `echo '{"id":2,"error":{"code":-32603,"message":"Your access token could not be refreshed because your refresh token was revoked. Please log out and sign in again."}}'`, Refused},
		{"no new token for now", `echo '{"id":2,"error":{"code":-32603,"message":"Failed to refresh token: 503 Service Unavailable"}}'`, Failed},
		{"offline", `echo '{"id":2,"error":{"code":-32603,"message":"error sending request for url (https://x)"}}'`, Offline},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, problem, _ := ask(t, script(tt.answer), patience)
			if problem != tt.want || problem == "" && r.Plan != "plus" {
				t.Errorf("Ask = %+v, %q, want %q", r, problem, tt.want)
			}
		})
	}
	if _, problem, _ := ask(t, asking(process.Program{Path: "/nonexistent/codex"}), patience); problem != Unsupported {
		t.Errorf("without a codex the problem is %q, want %q", problem, Unsupported)
	}
}

// Neither a codex that never answers, nor one that goes on after the end of its input, nor its child outlives the question. One that ends
// on SIGINT alone, as 0.155 and newer do while a request runs, costs no time beyond the deadline.
func TestAskEnds(t *testing.T) {
	for name, tt := range map[string]struct {
		answer string
		want   Problem
		most   time.Duration
	}{
		"never answers":     {"trap 'exit 1' INT; trap '' TERM; while :; do sleep 0.05; done", Timeout, rpc.InterruptTime},
		"goes on":           {`trap "" INT TERM; echo '{"id":2,"result":{"rateLimits":{}}}'; exec sleep 99`, "", patience},
		"has a child":       {"trap '' INT TERM HUP; sleep 99 & wait", Timeout, patience},
		"writes for a time": {`trap "" INT; echo '{"id":2,"result":{"rateLimits":{}}}'; cat; echo renewed >"$WRITTEN"`, "", patience},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			mark := "SWOP_TEST_MARK=" + dir
			q := script(tt.answer, mark, "WRITTEN="+filepath.Join(dir, "written"))
			deadline := 100 * time.Millisecond
			if tt.want == "" {
				deadline = patience
			}
			_, problem, took := ask(t, q, deadline)
			if problem != tt.want {
				t.Errorf("the problem is %q, want %q", problem, tt.want)
			}
			if took >= deadline+tt.most {
				t.Errorf("it took %v, want less than %v after the deadline", took, tt.most)
			}
			wantGone(t, mark)
			if name == "writes for a time" && testhome.TextOf(filepath.Join(dir, "written")) != "renewed\n" {
				t.Error("what it wrote after its answer is not there")
			}
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
