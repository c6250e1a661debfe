//go:build linux

package e2e

import (
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// shells are the interactive shells with a fresh configuration that loads our completion as its help says, and prompt "ready>".
var shells = map[string]struct{ file, config, command string }{
	"bash": {
		file: ".bashrc", command: "bash --rcfile ~/.bashrc -i",
		config: "PS1='ready> '\nHISTFILE=/dev/null\nbind 'set show-all-if-ambiguous on'\nsource <(codex completion bash)\nsource <(codex " +
			"swop completion bash)\n",
	},
	"zsh": {
		file: ".zshrc", command: "zsh -i",
		config: "PS1='ready> '\nautoload -U compinit; compinit -u -D\nsource <(codex completion zsh)\nsource <(codex swop completion zsh)\n",
	},
	"fish": {
		file: ".config/fish/config.fish", command: "fish -i",
		config: "function fish_prompt; echo 'ready> '; end\nset -g fish_greeting\nset -g fish_autosuggestion_enabled 0\n" +
			"set -g fish_history ''\ncodex completion fish | source\ncodex swop completion fish | source\n",
	},
}

// A completion is what is typed before the key TAB, and what the screen must show then.
type completion struct{ typed, want string }

func TestCompletion(t *testing.T) {
	t.Parallel()
	for shell := range shells {
		t.Run(shell, func(t *testing.T) {
			needsShell(t, shell)
			u := newUserWithAccounts(t)
			u.write("work/notes.txt", "")
			w := u.shell(shell)
			w.complete(
				completion{"codex execp", "execpolicy"},
				completion{"codex --no-alt", "--no-alt-screen"},
				completion{"codex sw", "codex swop"},
				completion{"codex swop bi", "codex swop bind"},
				completion{"codex swop use p", "codex swop use personal"},
				completion{"codex swop use ", "API key"},
				completion{"codex swop remove --del", "--delete-sessions"},
				completion{"codex swop run work -- cat no", "notes.txt"},
				completion{"codex resu", "resume"},
			)
		})
	}
}

// needsShell leaves out a test that opens the shell in a terminal, where one of them is left out.
func needsShell(t *testing.T, shell string) {
	t.Helper()
	testhome.Needs(t, "tmux")
	if shell != "bash" {
		testhome.Needs(t, shell)
	}
}

// shell opens an interactive shell in which codex would run as an account.
func (u *user) shell(name string) *terminal {
	u.t.Helper()
	s := shells[name]
	u.write(s.file, s.config)
	u.hasFishCompletions()
	w := u.openTerminal(s.command, "SWOP_ACCOUNT=work", "TERM=xterm")
	w.await("ready>")
	return w
}

// hasFishCompletions creates the directory which an interactive fish otherwise fills in the background, from all manual pages.
func (u *user) hasFishCompletions() {
	u.t.Helper()
	u.mkdir(".local/share/fish/generated_completions")
}

// complete types each completion, waits for what must show, and clears the line and the screen.
func (w *terminal) complete(list ...completion) {
	w.t.Helper()
	for _, c := range list {
		w.tmux("send-keys", "-l", c.typed)
		w.await(strings.TrimSpace(c.typed))
		w.tmux("send-keys", "Tab")
		w.await(c.want)
		w.tmux("send-keys", "C-u", "C-l")
		if !eventually(w.t, "an empty prompt", func() bool { return strings.TrimSpace(w.screen()) == "ready>" }) {
			w.t.Fatalf("after %q the terminal shows:\n%s", c.typed, w.screen())
		}
	}
}
