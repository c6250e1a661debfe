//go:build linux

package e2e

import (
	"path/filepath"
	"strings"
)

// promptShells are the commands that start each shell in a terminal.
var promptShells = map[string]string{"bash": "bash", "zsh": "zsh", "fish": "fish"}

// finds looks where the shells find codex at a prompt.
func (u installedUser) finds(when string, starts map[string]string, dir string) {
	u.t.Helper()
	for shell, start := range starts {
		if got := u.typed(start); got != filepath.Join(dir, "codex") {
			u.t.Errorf("%s %s at a prompt finds codex at %q, want it in %s", when, shell, got, dir)
		}
	}
}

// letPromptsRead adds the lines of docs/path.md by which each prompt reads swop's file.
func (u installedUser) letPromptsRead() {
	u.t.Helper()
	page := strings.ReplaceAll(readText(u.t, "../../../docs/path.md"), "~/.local/share/swop", filepath.Dir(u.bin))
	_, page, _ = strings.Cut(page, "## Before each prompt")
	for _, file := range []string{"bash ~/.bashrc", "zsh ~/.zshrc", "fish ~/.config/fish/config.fish"} {
		_, text, found := strings.Cut(page, "```"+file+"\n")
		text, _, _ = strings.Cut(text, "```")
		if !found {
			u.t.Fatalf("docs/path.md has no lines for %s", file)
		}
		_, name, _ := strings.Cut(file, "~/")
		u.write(name, readText(u.t, filepath.Join(u.home, name))+text)
	}
}

// examined checks that doctor has no complaint about the shells.
func (u installedUser) examined() {
	u.t.Helper()
	said := u.run(u.command(filepath.Join(u.bin, "codex"), "swop", "doctor")).stdout
	for shell := range promptShells {
		wantText(u.t, "doctor", said, "ok       "+shell+": swop's codex comes first")
		if strings.Contains(said, "problem  "+shell) || strings.Contains(said, "warning  "+shell) {
			u.t.Errorf("doctor has a complaint of %s:\n%s", shell, said)
		}
	}
}

// hint is what doctor said below a text, for the user to paste.
func (u installedUser) hint(said, text string) string {
	u.t.Helper()
	_, after, _ := strings.Cut(said, text)
	_, hint, found := strings.Cut(after, "\n         hint: ")
	if !found {
		u.t.Fatalf("doctor has no hint for %q:\n%s", text, said)
	}
	return firstLine(hint)
}
