package usage

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"swop/internal/account/process"
	"swop/internal/account/rpc"
	"swop/internal/test/testhome"
)

// script is a codex that is a shell script: it says hello, and then what answer says.
func script(t *testing.T, answer string, env ...string) rpc.Talker {
	text := "read hello\necho '{\"id\":1,\"result\":{}}'\nread initialized\nread question\n" + answer
	return asking(t, process.Program{Path: "/bin/sh", Args: []string{"codex", "-c", text}, Env: append(os.Environ(), env...)})
}

func asking(t *testing.T, p process.Program) rpc.Talker {
	lock := filepath.Join(t.TempDir(), "lock")
	return func(ctx context.Context, ask func(*rpc.Conversation) error) error {
		held, err := rpc.Hold(ctx, lock)
		if err != nil {
			return err
		}
		defer held.Close()
		return rpc.Talk(ctx, p, held, ask)
	}
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
			r, problem, _ := ask(t, script(t, tt.answer), patience)
			if problem != tt.want || problem == "" && r.Plan != "plus" {
				t.Errorf("Ask = %+v, %q, want %q", r, problem, tt.want)
			}
		})
	}
	if _, problem, _ := ask(t, asking(t, process.Program{Path: "/nonexistent/codex"}), patience); problem != Unsupported {
		t.Errorf("without a codex the problem is %q, want %q", problem, Unsupported)
	}
}

// A codex that goes on after the deadline, or after its answer, is not killed: it may be renewing its login. The next one waits for it.
func TestAskLate(t *testing.T) {
	const answer = `echo '{"id":2,"result":{"rateLimits":{}}}'`
	for name, tt := range map[string]struct {
		answer   string
		deadline time.Duration
		want     Problem
	}{
		"answers late":        {`sleep 1; echo renewed >"$WRITTEN"; ` + answer, 100 * time.Millisecond, Timeout},
		"goes on for a while": {answer + `; sleep 3; echo renewed >"$WRITTEN"`, patience, ""},
		"reads on":            {answer + `; cat; echo renewed >"$WRITTEN"`, patience, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			written := filepath.Join(t.TempDir(), "written")
			q := script(t, "[ -e \"$WRITTEN\" ] && { "+answer+"; exit; }\n"+tt.answer, "WRITTEN="+written)
			if _, problem, took := ask(t, q, tt.deadline); problem != tt.want || took >= tt.deadline+4*time.Second {
				t.Errorf("the problem is %q after %v, want %q", problem, took, tt.want)
			}
			if _, problem, _ := ask(t, q, patience); problem != "" || testhome.TextOf(written) != "renewed\n" {
				t.Errorf("the next answer is %q, and what codex wrote %q", problem, testhome.TextOf(written))
			}
		})
	}
}
