//go:build linux

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// VS Code starts the shells of its terminal with its own files, which read the user's and then put the directories of extensions before
// PATH: behind every line of a start-up file. These are the parts of those files that do so.
var editorFiles = map[string]string{
	".vscode/integration/bash.sh": `[ -z "$VSCODE_INJECTION" ] || . ~/.bashrc
unset VSCODE_INJECTION
export PATH="${VSCODE_ENV_PREPEND#PATH=}$PATH"
unset VSCODE_ENV_PREPEND
`,
	".vscode/integration/zsh/.zshenv": `[[ ! -f $USER_ZDOTDIR/.zshenv ]] || . $USER_ZDOTDIR/.zshenv
`,
	".vscode/integration/zsh/.zshrc": `[[ ! -f $USER_ZDOTDIR/.zshrc ]] || . $USER_ZDOTDIR/.zshrc
ZDOTDIR=$USER_ZDOTDIR
export PATH="${VSCODE_ENV_PREPEND#PATH=}$PATH"
unset VSCODE_ENV_PREPEND
`,
	".vscode/integration/integration.fish": `set -gx PATH (string replace PATH= "" -- $VSCODE_ENV_PREPEND | string trim --right --chars=:) $PATH
set -e VSCODE_ENV_PREPEND
`,
	".vscode/extensions/openai/bin/codex": "#!/bin/sh\necho the codex of an extension\n",
}

// In a terminal of an editor doctor sees the extension's codex that comes first there, and the lines of docs/path.md repair that in the next terminal.
func TestUpgradeEditor(t *testing.T) {
	testhome.Needs(t, "zsh", "fish", "tmux")
	u := newInstalledUser(t)
	u.env = append(u.env, "SHELL=/usr/bin/zsh", "HISTFILE=/dev/null", "TERM_PROGRAM=vscode")
	for name, text := range editorFiles {
		u.write(name, text)
	}
	for _, name := range []string{".bashrc", ".zshrc", ".config/fish/config.fish"} {
		u.write(name, "# mine\n")
	}
	theirs := filepath.Join(u.home, ".vscode/extensions/openai/bin")
	integration := filepath.Join(u.home, ".vscode", "integration")
	given := "env VSCODE_INJECTION=1 VSCODE_ENV_PREPEND='PATH=" + theirs + ":' "
	terminals := map[string]string{
		"bash": given + "bash --init-file " + integration + "/bash.sh",
		"zsh":  given + "ZDOTDIR=" + integration + "/zsh USER_ZDOTDIR=$HOME zsh",
		"fish": given + "fish --init-command 'source " + integration + "/integration.fish'",
	}
	ours := filepath.Join(u.bin, "codex")
	u.ok(u.command(ours, "swop", "install"))
	u.finds("in the editor, where the test proves nothing else,", terminals, theirs)
	u.examined() // outside of it
	said := u.want(1, u.command(ours, "swop", "doctor")).stdout
	if hint := u.hint(said, "problem  path: the shim is not on PATH here"); !strings.HasPrefix(hint, "export PATH=") {
		t.Errorf("in a terminal from before the install doctor's hint is %q, want one for this shell", hint)
	}

	said = u.want(1, u.command("sh", "-c", terminals["zsh"]+" -ic '"+ours+" swop doctor'")).stdout
	wantText(t, "doctor", said, "problem  path: "+theirs+"/codex comes before the shim on PATH here")
	u.letPromptsRead()
	u.finds("in the editor", terminals, u.bin)
	u.finds("outside of it", promptShells, u.bin)
	u.examined()
}
