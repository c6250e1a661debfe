//go:build unix

package bridge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/testhome"
)

func TestTokens(t *testing.T) {
	up := newService(t, nil)
	good := func(t *testing.T, home string, mode os.FileMode, text string) config.Token {
		file := testhome.PutFile(t, filepath.Join(home, "token"), text)
		testhome.NoError(t, os.Chmod(file, mode))
		return config.Token{File: "~/token"}
	}
	run := func(script string) func(*testing.T, string) config.Token {
		return func(*testing.T, string) config.Token { return config.Token{Command: []string{"sh", "-c", script}} }
	}
	for _, tt := range []struct {
		name  string
		token func(t *testing.T, home string) config.Token
		want  string // in the refusal; "" where there is none
	}{
		{"a variable", func(*testing.T, string) config.Token { return config.Token{Env: "SANDBOX_TRACKER"} }, ""},
		{"no variable", func(*testing.T, string) config.Token { return config.Token{Env: "SANDBOX_OTHER"} }, "SANDBOX_OTHER is not set"},
		{"a file", func(t *testing.T, home string) config.Token { return good(t, home, 0o600, secret+"\n") }, ""},
		{"no file", func(*testing.T, string) config.Token { return config.Token{File: "~/none"} }, "no such file"},
		{"readable by others", func(t *testing.T, home string) config.Token { return good(t, home, 0o640, secret) }, "can be read by others"},
		{"empty", func(t *testing.T, home string) config.Token { return good(t, home, 0o600, "\n") }, "is empty"},
		{"two lines", func(t *testing.T, home string) config.Token { return good(t, home, 0o600, secret+"\n"+secret) }, "second line"},
		{"short", func(t *testing.T, home string) config.Token { return good(t, home, 0o600, "secret") }, "fewer than 8"},
		{"long", func(t *testing.T, home string) config.Token {
			return good(t, home, 0o600, strings.Repeat("s", maxToken+1))
		}, "larger than"},
		{"a command", run("echo '" + secret + "'"), ""},
		{"a command that fails", run("echo '" + secret + "' >&2; exit 3"), "exit status 3"},
		{"a command that prints nothing", run(":"), "is empty"},
		{"a command that asks", run("read -r answer </dev/tty; echo '" + secret + "'; exit 1"), "exit status"},
		{"a command that reads", run("read -r answer || exit 4"), "exit status 4"},
		{"a command that prints too much", run("yes '" + secret + "'"), "failed"},
		{"a command that is missing", func(*testing.T, string) config.Token { return config.Token{Command: []string{"/nonexistent"}} }, "no such file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := tracker(t, up.URL, "GET /**")
			s := open(t, func(o *Options, _ *limits) {
				b.Token = tt.token(t, o.Home)
				o.Bridges = config.Bridges{b}
			})
			got := s.get(t, "/a")
			switch seen := up.requests(); {
			case tt.want == "" && (got.status != 200 || len(seen) != 1 || seen[0].Header.Get("Authorization") != "Bearer "+secret):
				t.Errorf("the answer is %+v", got)
			case tt.want != "" && (got.status != 502 || len(seen) != 0 || !strings.Contains(got.body, tt.want)):
				t.Errorf("the answer is %+v, want %q", got, tt.want)
			case hasSecret(got.text()) || testhome.HoldsText(secret, s.options.Root):
				t.Errorf("the secret is in %+v, or on disk", got)
			}
		})
	}
}

// TestTokenOnce: the command of a secret runs once in a session; a file is read again.
func TestTokenOnce(t *testing.T) {
	up := newService(t, nil)
	b := tracker(t, up.URL, "GET /**")
	b.Token = config.Token{Command: []string{"sh", "-c", "echo x >>runs; echo '" + secret + "'"}}
	s := open(t, nil, b)
	for range 3 {
		s.get(t, "/a")
	}
	if text := testhome.TextOf(filepath.Join(s.options.Home, "runs")); text != "x\n" {
		t.Errorf("it ran: %q", text)
	}
}
