//go:build unix

package install

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/testfile"
	"swop/internal/test/testhome"
)

// others is what nvm and its like do, in every file that a shell reads: they put their own codex first.
func (h *home) others() {
	h.Helper()
	testfile.Put(h.T, h.path("other tools/codex"), "#!/bin/sh\necho the codex of another tool\n", 0o755)
	line := "PATH=" + quoted(posixEnv, h.path("other tools")) + ":$PATH\n"
	h.write(".profile", ". ~/.bashrc\n"+line)
	for _, name := range []string{".bashrc", ".zshenv", ".zprofile", ".zshrc", ".zlogin"} {
		h.write(name, line)
	}
	h.write(".config/fish/config.fish", "set -gx PATH "+quoted(fishEnv, h.path("other tools"))+" $PATH\n")
}

// needsShell leaves out a test of a shell that is left out.
func needsShell(t *testing.T, shell string) {
	t.Helper()
	if shell == "zsh" || shell == "fish" {
		testhome.Needs(t, shell)
	}
}

// However a new shell starts, it runs ours, after other tools too, and until an uninstall. A running one does after the line for it.
func TestNewShellsRunOurs(t *testing.T) {
	for _, start := range [][]string{
		{"bash", "-ic"},
		{"bash", "-lc"},
		{"bash", "-lic"},
		{"zsh", "-c"},
		{"zsh", "-ic"},
		{"zsh", "-lic"},
		{"fish", "-c"},
		{"fish", "-lic"},
		{"sh", "-lc"},
	} {
		for name, others := range map[string]bool{" alone": false, " after other tools": true} {
			t.Run(strings.Join(start, " ")+name, func(t *testing.T) {
				needsShell(t, start[0])
				h := newHome(t, start[0])
				h.setenv("HISTFILE", "/dev/null")
				h.setenv("fish_history", "")
				if others {
					h.others()
				}
				h.install()
				ours := filepath.Join(h.bin(), "codex")
				if got := h.which("", start...); got != ours {
					t.Errorf("%q finds codex at %q, want %q", start, got, ours)
				}
				line := LineFor(start[0], h.prefix())
				if got := h.which(line, start[0], "-c"); got != ours {
					t.Errorf("after %s codex is %q", line, got)
				}
				h.uninstall()
				if got := h.which("", start...); got == ours {
					t.Errorf("after uninstall %q finds codex at %q", start, got)
				}
			})
		}
	}
}

// Where another tool changes PATH while a shell runs, what is typed is ours, and a function of the user's own stays.
func TestLaterPath(t *testing.T) {
	const hook = "_mise_hook() { PATH=$OTHER:$PATH; }\n"
	for _, test := range []struct{ shell, file, text, then, want string }{
		{"bash", ".bashrc", hook, "_mise_hook", "v1"},
		{"bash", ".bashrc", "_direnv_hook() { :; }\nalias codex='codex x'\n", "PATH=$OTHER:$PATH", "v1"},
		{"zsh", ".zshrc", hook, "_mise_hook", "v1"},
		{"zsh", ".zshrc", hook + "codex() { echo mine; }\n", "_mise_hook", "mine"},
		{"bash", ".bashrc", "", "PATH=$OTHER:$PATH", "the codex of another tool"},
		{"fish", ".config/fish/config.fish", "", "set -gx PATH $OTHER $PATH", "v1"},
	} {
		needsShell(t, test.shell)
		h := newHome(t, test.shell)
		h.others()
		h.setenv("OTHER", h.path("other tools"))
		h.write(test.file, test.text)
		h.install()
		cmd := exec.Command(test.shell, "-ic", test.then+"; codex")
		cmd.Env, cmd.Dir = h.o.Env, h.o.Home
		if out, err := cmd.Output(); err != nil || string(out) != test.want+"\n" {
			t.Errorf("%s with %q in %s runs %q, %v, want %q", test.shell, test.text, test.file, out, err, test.want)
		}
	}
}

// The file env holds under the strictest options of each shell, with no PATH at all, and with ten thousand entries, in a directory with
// every character that shells know. Read again, it changes nothing, and where bin was further back it is moved.
func TestEnv(t *testing.T) {
	s := &session{bin: `/ö '"$X*?[a] \x/bin`}
	long := strings.Repeat("/a/b c:", 10000) + "/usr/bin:/bin"
	for _, shell := range [][]string{
		{"bash", "-euo", "pipefail"}, {"bash", "--posix", "-eu"}, {"/bin/sh", "-eu"}, {"zsh", "-fueyk"}, {"zsh", "-fu", "--glob-subst", "--rc-quotes"},
	} {
		t.Run(strings.Join(shell, " "), func(t *testing.T) {
			needsShell(t, shell[0])
			for _, path := range []string{"", ":", ":/bin:", "/bin:/l/m", long} {
				text := s.envText(posixEnv)
				script := "PATH=$WANT\n" + text + text + "[ -z \"$PATH\" ] || PATH=/usr/bin:$PATH:/x\n" + text + `printf %s "$PATH"`
				cmd := exec.Command(shell[0], append(shell[1:], "-c", script)...)
				cmd.Env = []string{"WANT=" + path, "LC_ALL=C.UTF-8"}
				want := s.bin + ":/usr/bin:" + path + ":/x"
				if path == "" {
					want = s.bin + ":/usr/bin:/x"
				}
				if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
					t.Errorf("with PATH %.40q: %v, PATH is %.80q, want %.80q", path, err, out, want)
				}
			}
		})
	}
	t.Run("fish", func(t *testing.T) {
		testhome.Needs(t, "fish")
		text := s.envText(fishEnv)
		cmd := exec.Command("fish", "--no-config", "-c", text+text+`string join : -- $PATH`)
		cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + t.TempDir(), "LC_ALL=C.UTF-8"}
		out, err := cmd.CombinedOutput()
		if want := s.bin + ":/usr/bin:/bin\n"; err != nil || string(out) != want {
			t.Errorf("fish: %v, PATH is %q, want %q", err, out, want)
		}
	})
}
