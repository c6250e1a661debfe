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
