//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// mise puts its tools first again before each prompt, behind every line of a start-up file. doctor sees it as a terminal does, and the
// lines of docs/path.md repair it.
func TestUpgradeMise(t *testing.T) {
	testhome.Needs(t, "zsh", "fish", "tmux")
	u := newInstalledUser(t)
	mise := installedMise(t)
	for _, dir := range []string{"tool", ".config/fish", ".config/mise"} {
		u.mkdir(dir)
	}
	theirs, ours := filepath.Join(u.home, "tool", "codex"), filepath.Join(u.bin, "codex")
	u.write("tool/codex", "#!/bin/sh\necho the codex of mise\n")
	u.write(".config/mise/config.toml", "[env]\n_.path = ['"+filepath.Dir(theirs)+"']\n")
	u.write(".bashrc", `eval "$('`+mise+`' activate bash)"`+"\n")
	u.write(".zshrc", `eval "$('`+mise+`' activate zsh)"`+"\n")
	u.write(".config/fish/config.fish", "'"+mise+"' activate fish | source\n")
	u.env = append(u.env, "SHELL=/usr/bin/zsh", "HISTFILE=/dev/null")
	u.ok(u.command(ours, "swop", "install"))
	if got := u.typed("zsh"); got != theirs {
		t.Fatalf("zsh at a prompt finds codex at %q, want mise's: this test proves nothing", got)
	}
	said := u.want(1, u.command(ours, "swop", "doctor")).stdout
	wantText(t, "doctor", said, "problem  zsh: "+theirs+" comes before swop's (interactive", "hint: "+ours+" swop help install")

	u.letPromptsRead()
	u.finds("repaired after mise", promptShells, u.bin)
	u.examined()
}

// typed returns where a shell in a terminal finds codex, at its third prompt and in another directory than it started in.
func (u installedUser) typed(shell string) string {
	u.t.Helper()
	w := u.openTerminal("exec " + shell)
	defer w.close()
	found := w.file("found")
	for _, line := range []string{"cd /", "cd " + shellQuoted(u.work), "command -v codex >" + found + ".new; mv " + found + ".new " + found} {
		w.tmux("send-keys", line, "Enter")
	}
	if !eventually(u.t, "the answer of "+shell, func() bool { _, err := os.Stat(found); return err == nil }) {
		u.t.Fatalf("the terminal shows:\n%s", w.tmux("capture-pane", "-p"))
	}
	return strings.TrimSpace(readText(u.t, found))
}

func shellQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
