package shim

import (
	"slices"
	"strings"
	"testing"
)

// words splits a command line at its blanks; an empty one has an empty argument.
func words(line string) []string { return strings.Split("codex "+line, " ") }

func TestSubcommand(t *testing.T) {
	for _, tt := range []struct{ line, name, rest string }{
		{"login status", "login", "status"},
		{"-c a=b --config c=d -m x -mx login --device-auth", "login", "--device-auth"},
		{"--remote-auth-token-env X --remote ws://x --add-dir d -C . -a never -s read-only --local-provider p login", "login", ""},
		{"--image=a.png --search --oss login", "login", ""},
		{"-i a.png -m x login", "login", ""},
		{"-- login", "", ""},
		{"-m x", "", ""},
		// A list of files ends at the next option, not at a word (seen with 0.169).
		{"--image a.png b.png login", "", ""},
	} {
		name, rest := subcommand(words(tt.line))
		if name != tt.name || !slices.Equal(rest, strings.Fields(tt.rest)) {
			t.Errorf("subcommand(%q) = %q, %q, want %q, %q", tt.line, name, rest, tt.name, tt.rest)
		}
	}
	for line, id := range map[string]string{
		"resume ID": "ID", "-c a=b -c c=d resume --all ID hi": "ID", "-m x exec --json resume ID": "ID", "e -o out resume -c a=b ID": "ID",
		"resume": "", "resume --last hi": "", "exec hi": "", "exec -o resume ID": "", "hi resume ID": "",
	} {
		if got := Resumed(words(line)); got != id {
			t.Errorf("Resumed(%q) = %q, want %q", line, got, id)
		}
	}
}

func TestKindOf(t *testing.T) {
	for kind, lines := range map[kind][]string{
		updates:      {"update", "-m x update"},
		changesLogin: {"logout", "login --device-auth", "-c a=b login", "login -c a=b"},
		ignoresLogin: {
			"login -c a=b status", "login --help", "-V logout", "login help", "help login", "completion bash", "exec --help", "-h",
		},
		ordinary: {
			"exec login", "-- login", "mcp login server", "-m login", "loginx", "", "exec -- --help", "mcp list", "sandbox git --version",
		},
	} {
		for _, line := range lines {
			if got := kindOf(words(line)); got != kind {
				t.Errorf("kindOf(%q) = %d, want %d", line, got, kind)
			}
		}
	}
}
