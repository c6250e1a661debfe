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

func TestChangesLogin(t *testing.T) {
	for line, want := range map[string]bool{
		"login":                true,
		"logout":               true,
		"login --with-api-key": true,
		"login --device-auth":  true,
		"-c a=b login":         true,
		"login -c a=b":         true,
		"logout -c a=b":        true,
		"login status":         false,
		"login -c a=b status":  false,
		"login --help":         false,
		"login -h":             false,
		"logout --help":        false,
		"--help login":         false,
		"-V logout":            false,
		"-m x -h login":        false,
		"login help":           false,
		"help login":           false,
		"exec login":           false,
		"e logout":             false,
		"exec -- login":        false,
		"-- login":             false,
		"mcp login server":     false,
		"-m login":             false,
		"loginx":               false,
		"Login":                false,
		"":                     false,
		"resume":               false,
	} {
		if got := ChangesLogin(words(line)); got != want {
			t.Errorf("ChangesLogin(%q) = %t, want %t", line, got, want)
		}
	}
	for _, args := range [][]string{nil, {"codex"}} {
		if ChangesLogin(args) {
			t.Errorf("ChangesLogin(%q) = true", args)
		}
	}
}

func TestKeepsLogin(t *testing.T) {
	for line, want := range map[string]bool{
		"login status": true, "login --help": true, "-V logout": true, "completion bash": true, "help": true, "--version": true, "-V": true, "exec --help": true, "-h": true,
		"": false, "login": false, "exec hi": false, "exec -- --help": false, "-- --version": false, "hello": false, "resume": false, "mcp list": false,
	} {
		if got := kindOf(words(line)) == keepsLogin; got != want {
			t.Errorf("kindOf(%q) == keepsLogin is %t, want %t", line, got, want)
		}
	}
	for _, args := range [][]string{nil, {"codex"}} {
		if kindOf(args) != ordinary {
			t.Errorf("kindOf(%q) = %v, want an ordinary call", args, kindOf(args))
		}
	}
}
