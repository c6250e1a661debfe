package shim

import (
	"slices"
	"strings"
	"testing"
)

// words splits a command line at its blanks; "" is an empty argument.
func words(line string) []string {
	args := strings.Split("codex "+line, " ")
	for i, arg := range args {
		if arg == `""` {
			args[i] = ""
		}
	}
	return args
}

func TestSubcommand(t *testing.T) {
	for _, tt := range []struct{ line, name, rest string }{
		{"login", "login", ""},
		{"login status", "login", "status"},
		{"-m x login", "login", ""},
		{"--model=x login", "login", ""},
		{"-mx login", "login", ""},
		{"-c a=b --config c=d login --device-auth", "login", "--device-auth"},
		{"-m login exec", "exec", ""},
		{"--profile login exec", "exec", ""},
		{"--search --oss login", "login", ""},
		{"--enable x --disable y login", "login", ""},
		{"--remote-auth-token-env X --remote ws://x --add-dir d -C . -a never -s read-only --local-provider p login", "login", ""},
		{"-ia.png login", "login", ""},
		{"--image=a.png login", "login", ""},
		{"-i a.png -m x login", "login", ""},
		{"-- login", "", ""},
		{"--search -- login", "", ""},
		{"-m", "", ""},
		{"-m x", "", ""},
		{"--version", "", ""},
		// A list of files ends at the next option, not at a word (seen with 0.169).
		{"-i a.png login", "", ""},
		{"--image a.png b.png login", "", ""},
	} {
		name, rest := subcommand(words(tt.line))
		if name != tt.name || !slices.Equal(rest, strings.Fields(tt.rest)) {
			t.Errorf("subcommand(%q) = %q, %q, want %q, %q", tt.line, name, rest, tt.name, tt.rest)
		}
	}
	for _, args := range [][]string{nil, {}, {"codex"}} {
		if name, rest := subcommand(args); name != "" || len(rest) != 0 {
			t.Errorf("subcommand(%q) = %q, %q, want none", args, name, rest)
		}
	}
}

func TestKindOf(t *testing.T) {
	for kind, lines := range map[kind][]string{
		updates:      {"update", "-m x update"},
		changesLogin: {"login", "logout", "login --with-api-key", "login --device-auth", "-c a=b login", "login -c a=b", "logout -c a=b"},
		keepsLogin: {
			"login status", "login -c a=b status", "login --help", "login -h", "logout --help", "--help login", "-V logout", "-m x -h login", "login help", "help login",
			"completion bash", "help", "--version", "-V", "exec --help", "-h",
		},
		ordinary: {
			"exec login", "e logout", "exec -- login", "-- login", "mcp login server", "-m login", "loginx", "Login", `""`, "resume",
			"exec hi", "exec -- --help", "-- --version", "hello", "mcp list",
		},
	} {
		for _, line := range lines {
			if got := kindOf(words(line)); got != kind {
				t.Errorf("kindOf(%q) = %d, want %d", line, got, kind)
			}
		}
	}
	for _, args := range [][]string{nil, {"codex"}} {
		if kindOf(args) != ordinary {
			t.Errorf("kindOf(%q) = %v, want an ordinary call", args, kindOf(args))
		}
	}
}
