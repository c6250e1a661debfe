//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/testhome"
)

// A pathTool is what a version manager's documented set-up puts into the start-up files, and the parts of the tool that those lines
// need. No registry has these; mise, which npm has, is in TestUpgradeMise.
type pathTool struct {
	dir   string            // where its codex is
	lines map[string]string // by start-up file
	files map[string]string // its own
}

func pathTools() map[string]pathTool {
	return map[string]pathTool{
		"nvm": {
			dir: ".nvm/versions/node/v22.0.0/bin",
			lines: map[string]string{
				".bashrc": nvmLines, ".zshrc": nvmLines,
				".config/fish/config.fish": "set -gx PATH $HOME/.nvm/versions/node/v22.0.0/bin $PATH\n", // nvm.fish
			},
			// Where one of its versions is on PATH already, it takes that one's place, as nvm's own nvm_change_path does.
			files: map[string]string{".nvm/nvm.sh": `nvm() {
  case ":$PATH:" in
  *:"$NVM_DIR"/versions/node/v22.0.0/bin:*) ;;
  *) PATH="$NVM_DIR/versions/node/v22.0.0/bin:$PATH" ;;
  esac
}
nvm use default
`, ".nvm/bash_completion": ":\n"},
		},
		"volta": {
			dir: ".volta/bin",
			lines: map[string]string{
				".bashrc": voltaLines, ".zshrc": voltaLines,
				".config/fish/config.fish": "set -gx VOLTA_HOME \"$HOME/.volta\"\nset -gx PATH \"$VOLTA_HOME/bin\" $PATH\n",
			},
		},
		"pyenv": {
			dir: ".pyenv/shims",
			lines: map[string]string{
				".bashrc": strings.ReplaceAll(pyenvLines, "SHELL", "bash"), ".zshrc": strings.ReplaceAll(pyenvLines, "SHELL", "zsh"),
				".config/fish/config.fish": "set -Ux PYENV_ROOT $HOME/.pyenv\nfish_add_path $PYENV_ROOT/bin\npyenv init - fish | source\n",
			},
			files: map[string]string{".pyenv/bin/pyenv": pyenvProgram},
		},
	}
}

const (
	nvmLines = `export NVM_DIR="$HOME/.nvm"
[ -s "$NVM_DIR/nvm.sh" ] && \. "$NVM_DIR/nvm.sh"  # This loads nvm
[ -s "$NVM_DIR/bash_completion" ] && \. "$NVM_DIR/bash_completion"  # This loads nvm bash_completion
`
	voltaLines = `export VOLTA_HOME="$HOME/.volta"
export PATH="$VOLTA_HOME/bin:$PATH"
`
	pyenvLines = `export PYENV_ROOT="$HOME/.pyenv"
[[ -d $PYENV_ROOT/bin ]] && export PATH="$PYENV_ROOT/bin:$PATH"
eval "$(pyenv init - SHELL)"
`
	// As pyenv's does, it removes its directory from further back, and puts it first.
	pyenvProgram = `#!/bin/sh
case $3 in
fish) echo 'while set index (contains -i -- "$HOME/.pyenv/shims" $PATH); set -eg PATH[$index]; end; set -gx PATH "$HOME/.pyenv/shims" $PATH' ;;
*) echo 'PATH=$(printf %s ":$PATH:" | sed "s|:$HOME/.pyenv/shims:|:|g; s|^:||; s|:\$||"); export PATH="$HOME/.pyenv/shims:$PATH"' ;;
esac
`
)

// In whichever order a tool and swop were set up, codex is swop's, or doctor says that it is not, and its hint repairs that.
func TestUpgradeTools(t *testing.T) {
	testhome.Needs(t, "zsh", "fish", "tmux")
	for name, tool := range pathTools() {
		t.Run(name, func(t *testing.T) {
			u := newInstalledUser(t)
			u.env = append(u.env, "SHELL=/usr/bin/zsh", "HISTFILE=/dev/null")
			u.has(tool)
			u.append(tool)
			u.ok(u.command(filepath.Join(u.bin, "codex"), "swop", "install"))
			u.finds("with "+name+" set up before", promptShells, u.bin)
			u.examined()

			u.append(tool)
			theirs := filepath.Join(u.home, tool.dir)
			u.finds("with "+name+" set up behind, where the test proves nothing else,", promptShells, theirs)
			said := u.want(1, u.command(filepath.Join(u.bin, "codex"), "swop", "doctor")).stdout
			wantText(t, "doctor", said, "warning  bash: "+theirs+"/codex comes before swop's", "warning  fish: "+theirs+"/codex comes before swop's")
			u.ok(u.command("zsh", "-ic", u.hint(said, "problem  zsh: "+theirs+"/codex comes before swop's")))
			u.examined()
			u.finds("repaired after "+name, promptShells, u.bin)
		})
	}
}

// has makes the tool's own files, with a codex among them.
func (u installedUser) has(tool pathTool) {
	u.t.Helper()
	files := map[string]string{tool.dir + "/codex": "#!/bin/sh\necho the codex of a tool\n"}
	for name, text := range tool.files {
		files[name] = text
	}
	for name, text := range files {
		u.write(name, text)
	}
}

// append puts the tool's lines at the end of the start-up files, as its installer or a person does; nowhere else do they stay.
func (u installedUser) append(tool pathTool) {
	u.t.Helper()
	for name, lines := range tool.lines {
		before, err := os.ReadFile(filepath.Join(u.home, name))
		if err != nil && !os.IsNotExist(err) {
			u.t.Fatal(err)
		}
		u.write(name, strings.ReplaceAll(string(before), lines, "")+lines)
	}
}

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
