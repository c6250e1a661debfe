//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"swop/internal/test/testcall"
	"swop/internal/test/testhome"
)

// TestHints types, in bash, the command of each hint that a script was shown: TestScripts puts them in a file, one a line, and runs it. The
// command must be one that the verb takes; it is not run.
func TestHints(t *testing.T) {
	for _, wrong := range []string{
		"codex swop nothing", "codex swop logout", "codex swop list --force", "codex swop use 'a",
		"say codex swop list",
	} {
		if typeHint(t, wrong) == nil {
			t.Errorf("the hint %q is taken", wrong)
		}
	}
	if file := os.Getenv("SWOP_TEST_HINTS"); file != "" {
		for hint := range strings.Lines(testhome.TextOf(file)) {
			if err := typeHint(t, strings.TrimSuffix(hint, "\n")); err != nil {
				t.Errorf("%s\tcannot be typed as it stands: %v", hint, err)
			}
		}
	}
}

// A hint is a sentence, a command, or a sentence that ends in a colon and a command. This finds a command of ours.
var hintCommand = regexp.MustCompile(`(?:^|: )((?:[A-Z_]+=\S+ |printenv \S+ \| )*)('[^']*/codex(?:-swop)?'|\S*/codex(?:-swop)?|codex) ?(.*)$`)

// typeHint returns why the hint's command is none that can be typed.
func typeHint(t *testing.T, hint string) error {
	found := hintCommand.FindStringSubmatch(hint)
	if found == nil {
		if strings.Contains(hint, "codex swop") {
			return fmt.Errorf("its command is not at its end, after a colon")
		}
		return nil
	}
	words, err := typed(found[1] + "codex " + found[3])
	if err != nil {
		return err
	}
	if strings.HasSuffix(strings.Trim(found[2], "'"), "codex") {
		if len(words) == 0 || words[0] != "swop" {
			return nil // codex's own
		}
		words = words[1:]
	}
	return parses(t, words, !strings.HasPrefix(hint, "did you mean: "))
}

// typed returns the arguments that codex has when bash reads the line. No other program runs.
func typed(line string) ([]string, error) {
	cmd := exec.Command("bash", "-c", `codex() { printf '%s\0' "$@" >&3; exit; }; eval "$1"`, "bash", line)
	cmd.Env = []string{"PATH=/nonexistent", "HOME=/nonexistent"}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	cmd.ExtraFiles = []*os.File{w}
	said, _ := cmd.CombinedOutput() // it may end with what follows codex
	w.Close()
	out := make([]byte, 1<<16)
	n, _ := r.Read(out)
	if n == 0 {
		return nil, fmt.Errorf("bash calls no codex: %s", said)
	}
	return strings.Split(strings.TrimSuffix(string(out[:n]), "\x00"), "\x00"), nil
}

// parses returns why the command tree does not take the words, with as many arguments as the verb needs if it is to be complete.
func parses(t *testing.T, words []string, complete bool) error {
	a := testcall.New(t)
	a.Args = words
	root := root(a)
	cmd, rest, err := root.Find(a.Args)
	if err != nil || slices.Contains(words, "--help") {
		return err
	}
	if !cmd.DisableFlagParsing {
		if err := cmd.ParseFlags(rest); err != nil {
			return err
		}
		rest = cmd.Flags().Args()
	}
	if err := cmd.ValidateArgs(rest); err != nil && (complete || len(rest) > 0) {
		return err
	}
	return nil
}

// foreignFlags are those that the pages name and that belong to codex and to other programs.
const foreignFlags = "--analytics-default-enabled --bind --block-fd --config --disable --enable --full-auto --keep-directory-symlink " +
	"--listen --log-denials " +
	"--managed-daemon --tmpfs --unshare-user --user --version"

// TestPages tries each verb and flag of swop and its scripts that a page names.
func TestPages(t *testing.T) {
	flags := foreignFlags + scriptText("install.sh") + scriptText("internal/test/runtests/main.go") +
		scriptText("packaging/release.sh")
	root := root(testcall.New(t))
	for _, cmd := range root.Commands() {
		flags += " " + cmd.Flags().FlagUsages()
	}
	pages := []string{"README.md", "SECURITY.md", "CONTRIBUTING.md"}
	for _, pattern := range []string{"docs/*.md", "docs/decisions/*.md", "docs/evidence/*.md"} {
		found, err := filepath.Glob("../../" + pattern)
		testhome.NoError(t, err)
		pages = append(pages, found...)
	}
	tried := 0
	for _, page := range pages {
		text := scriptText(strings.TrimPrefix(page, "../../"))
		for _, words := range pageCommands.FindAllStringSubmatch(text, -1) {
			tried++
			err := parses(t, strings.Fields(words[1]), false)
			if err != nil && !regexp.MustCompile("^(unexpected|flag needs an) argument").MatchString(err.Error()) {
				t.Errorf("%s: codex swop %s: %v", page, words[1], err)
			}
		}
		for _, code := range pageFlags.FindAllStringSubmatch(text, -1) {
			tried++
			all := flags
			if cmd, _, err := root.Find(strings.Fields(code[1])); err == nil && cmd != root {
				all = cmd.Flags().FlagUsages()
			} else if code[1] != "" && !strings.HasSuffix(code[1], ".sh") {
				continue // of another program
			}
			if !regexp.MustCompile(`(^|[^-\w])` + code[2] + `\b`).MatchString(all) {
				t.Errorf("%s: `%s %s` names no flag", page, code[1], code[2])
			}
		}
	}
	if tried < 150 {
		t.Errorf("only %d verbs and flags were found", tried)
	}
}

// A call of codex swop, up to what belongs to the shell, and a flag in code that begins with a verb, a script or the flag itself.
var (
	pageCommands = regexp.MustCompile("codex swop ([a-z][^`|&;()<>\"'#\n]*)")
	pageFlags    = regexp.MustCompile("`(?:\\./)?([a-z./]*) ?[^`\n-]*(--[a-z-]+)[^`\n]*`")
)

func scriptText(name string) string { return "\n" + testhome.TextOf("../../"+name) }
