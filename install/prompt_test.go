//go:build unix

package install

import (
	"os/exec"
	"strings"
	"testing"
)

// However often a tool puts its directory first before a prompt, bin is first afterwards, once, and the rest is in its order.
func TestPromptLines(t *testing.T) {
	const bin = `/ö '"$X*?[a] \x/bin`
	for _, tt := range []struct {
		file, shell string
		flags       []string
		before      string // what is in the file already
		prompt      string // what the shell does at a prompt
	}{
		{".bashrc", "bash", nil, "", `eval "$PROMPT_COMMAND"`},
		{".bashrc", "bash", []string{"-eu", "-o", "posix"}, "PROMPT_COMMAND='true; '", `eval "$PROMPT_COMMAND"`},
		{".bash_profile", "bash", nil, "PROMPT_COMMAND=(true false)", `for c in "${PROMPT_COMMAND[@]}"; do eval "$c"; done`},
		{".zshrc", "zsh", nil, "", `for f in $precmd_functions; do $f; done`},
		{".zshrc", "zsh", []string{"-euk", "--glob-subst", "--sh-word-split", "--ksh-arrays"}, "precmd_functions=(true)", `for f in "${precmd_functions[@]}"; do $f; done`},
		{"fish/config.fish", "fish", []string{"--no-config"}, "", "emit fish_prompt"},
	} {
		t.Run(tt.shell+" "+tt.file, func(t *testing.T) {
			needsShell(t, tt.shell)
			x, put, show := posix, "PATH=/tool:$PATH", `printf '%s\n' "$PATH"`
			if tt.shell == "fish" {
				x, put, show = fish, "set -gx PATH /tool $PATH", "string join : -- $PATH"
			}
			lines := startup{tt.file, x}.promptLines(bin)
			script := strings.Join([]string{tt.before, lines, lines, put, tt.prompt, show, put, tt.prompt, tt.prompt, show, ""}, "\n")
			cmd := exec.Command(tt.shell, append(tt.flags, "-c", script)...)
			cmd.Env = []string{"PATH=/usr/bin:" + bin + ":/bin", "HOME=" + t.TempDir(), "LC_ALL=C.UTF-8"}
			out, err := cmd.CombinedOutput()
			want := bin + ":/tool:/usr/bin:/bin\n" + bin + ":/tool:/tool:/usr/bin:/bin\n"
			if err != nil || string(out) != want {
				t.Errorf("%s %q with %s: %v, PATH is\n%s\nwant\n%s", tt.shell, tt.flags, tt.file, err, out, want)
			}
		})
	}
}

func TestPromptLinesAreForInteractiveShells(t *testing.T) {
	for file, want := range map[string]bool{".bashrc": true, ".bash_login": true, ".zshrc": true, ".profile": false, ".zshenv": false, ".zlogin": false} {
		if got := (startup{"/h/" + file, posix}).promptLines("/bin dir"); (got != "") != want {
			t.Errorf("the lines for every prompt in %s are %q", file, got)
		}
	}
}

// What was asked for once holds for later runs, and goes with the rest.
func TestEveryPrompt(t *testing.T) {
	h := newHome(t, "bash")
	for _, name := range []string{".bashrc", ".zshrc", ".config/fish/config.fish"} {
		h.write(t, name, "# mine\n")
	}
	h.quiet(t)
	before := snapshot(t, h.o.Home)
	h.install(t)
	h.o.EveryPrompt = new(true)
	h.install(t)
	h.o.EveryPrompt = nil
	if r := h.install(t); len(r.Changes) != 0 {
		t.Errorf("a later install changed %v", r.Changes)
	}
	for _, name := range []string{".bashrc", ".zshrc", ".config/fish/config.fish"} {
		if text := readFile(t, h.path(name)); strings.Count(text, "swop_first") < 2 {
			t.Errorf("%s has no lines for every prompt:\n%s", name, text)
		}
	}
	eachStart(t, func(t *testing.T, start []string) {
		if got := h.which(t, start...); !strings.HasPrefix(got, h.bin()) {
			t.Errorf("%q finds codex at %q", start, got)
		}
	})
	h.run(t, "rm", h.path("found"))
	h.uninstall(t)
	before.same(t, h.o.Home)
}
