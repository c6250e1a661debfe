//go:build unix

package install

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/testfile"
)

// The prompt shows what `codex swop which --short` prints, once, however often the file is read, and before the prompt that there was.
func TestSegmentLines(t *testing.T) {
	bin := filepath.Join(t.TempDir(), `ö '"$X*?[a] \x`)
	for _, tt := range []struct {
		file, shell string
		flags       []string
		before      string // what is in the file already
		show        string // prints the prompt, as the shell expands it
		want        string
	}{
		{".bashrc", "bash", nil, `PS1='\s$ '`, `printf '%s\n' "${PS1@P}"`, "(work) bash$ "},
		{".bashrc", "bash", []string{"-eu"}, `PS1='> '`, `printf '%s\n' "${PS1@P}"`, "(work) > "},
		{".bashrc", "bash", nil, `PS1='[$?] '`, `(exit 3); printf '%s\n' "${PS1@P}"`, "(work) [3] "},
		{".bash_profile", "bash", []string{"-eu"}, "unset PS1", `printf '%s\n' "${PS1-none}"`, "none"},
		{".zshrc", "zsh", nil, "PROMPT='> '", "print -rP -- $PROMPT", "(work) > "},
		{".zshrc", "zsh", []string{"-euk", "--glob-subst", "--sh-word-split", "--ksh-arrays"}, "PROMPT='> '", `print -rP -- "$PROMPT"`, "(work) > "},
		{".zshrc", "zsh", nil, "PROMPT='[$?] '", "(exit 3); print -rP -- $PROMPT", "(work) [3] "},
		{"fish/config.fish", "fish", []string{"--no-config", "--interactive"}, "", "fish_right_prompt; echo", "(work)"},
		{"fish/config.fish", "fish", []string{"--no-config", "--interactive"}, "function fish_right_prompt; echo mine; end", "fish_right_prompt", "mine"},
	} {
		t.Run(tt.shell+" "+tt.file, func(t *testing.T) {
			needsShell(t, tt.shell)
			testfile.Put(t, filepath.Join(bin, "codex"), "#!/bin/sh\n[ \"$*\" = 'swop which --short' ] && echo work\n", 0o700)
			lines := startup{tt.file, syntaxOf(tt.shell)}.segmentLines(bin)
			script := strings.Join([]string{tt.before, lines, lines, tt.show, ""}, "\n")
			cmd := exec.Command(tt.shell, append(tt.flags, "-c", script)...)
			cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + t.TempDir(), "LC_ALL=C.UTF-8", "TERM=dumb"}
			out, err := cmd.CombinedOutput()
			if err != nil || string(out) != tt.want+"\n" {
				t.Errorf("%s %q with %q: %v, the prompt is %q, want %q", tt.shell, tt.flags, tt.before, err, out, tt.want)
			}
		})
	}
}

// What was asked for once holds for later runs, beside the lines for every prompt.
func TestPromptSegment(t *testing.T) {
	h := newHome(t, "bash")
	for _, tt := range []struct {
		prompt, every   *bool
		segment, always bool
	}{
		{new(true), nil, true, false}, {nil, nil, true, false}, {nil, new(true), true, true}, {new(false), nil, false, true},
	} {
		h.o.Prompt, h.o.EveryPrompt = tt.prompt, tt.every
		h.install(t)
		text := readFile(t, h.path(".bashrc"))
		if strings.Contains(text, "swop_prompt") != tt.segment || strings.Contains(text, "swop_first") != tt.always {
			t.Errorf("want the account %v and the lines for every prompt %v in:\n%s", tt.segment, tt.always, text)
		}
	}
}
