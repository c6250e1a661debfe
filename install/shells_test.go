//go:build unix

package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/testfile"
	"swop/internal/test/testhome"
)

// others is what nvm and its like do, in every file that a shell reads: they put their own codex first.
func (h *home) others(t *testing.T) {
	t.Helper()
	testfile.Put(t, h.path("other tools/codex"), "#!/bin/sh\necho the codex of another tool\n", 0o755)
	line := "PATH=" + quoted(posixEnv, h.path("other tools")) + ":$PATH\n"
	h.write(t, ".bashrc", line)
	h.write(t, ".profile", ". ~/.bashrc\n"+line)
	for _, name := range []string{".zshenv", ".zprofile", ".zshrc", ".zlogin"} {
		h.write(t, name, line)
	}
	h.write(t, ".config/fish/config.fish", "set -gx PATH "+quoted(fishEnv, h.path("other tools"))+" $PATH\n")
}

// starts are the ways in which the shells start that read a file.
var starts = [][]string{
	{"bash", "-ic"},
	{"bash", "-lc"},
	{"bash", "-lic"},
	{"zsh", "-c"},
	{"zsh", "-ic"},
	{"zsh", "-lc"},
	{"zsh", "-lic"},
	{"fish", "-c"},
	{"fish", "-ic"},
	{"fish", "-lc"},
	{"sh", "-lc"},
}

// needsShell leaves out a test of a shell that is left out.
func needsShell(t *testing.T, shell string) {
	t.Helper()
	if shell != "bash" && filepath.Base(shell) != "sh" {
		testhome.Needs(t, shell)
	}
}

// eachStart runs f for each of the starts.
func eachStart(t *testing.T, f func(t *testing.T, start []string)) {
	for _, start := range starts {
		t.Run(strings.Join(start, " "), func(t *testing.T) {
			needsShell(t, start[0])
			f(t, start)
		})
	}
}

// However a new shell starts, it runs ours, after other tools too, and until an uninstall. A shell within it has the same PATH.
func TestNewShellsRunOurs(t *testing.T) {
	for name, others := range map[string]bool{"alone": false, "after other tools": true} {
		t.Run(name, func(t *testing.T) {
			eachStart(t, func(t *testing.T, start []string) { checkStart(t, start, others) })
		})
	}
}

func checkStart(t *testing.T, start []string, others bool) {
	h := newHome(t, start[0])
	h.quiet(t)
	if others {
		h.others(t)
	}
	h.install(t)
	want := filepath.Join(h.bin(), "codex")
	if got := h.which(t, start...); got != want {
		t.Errorf("%q finds codex at %q, want %q", start, got, want)
	}
	if !others {
		env := h.o.Env
		h.setenv("PATH", h.bin()+":"+h.o.Env.Value("PATH"))
		show := `printf %s "$PATH" >path`
		if start[0] == "fish" {
			show = `string join : -- $PATH >path`
		}
		h.run(t, start[0], append(start[1:], show)...)
		if got := readFile(t, h.path("path")); strings.Count(got, h.bin()) != 1 {
			t.Errorf("%q inside a shell has PATH %q", start, got)
		}
		h.o.Env = env
	}
	h.uninstall(t)
	if got := h.which(t, start...); got == want {
		t.Errorf("after uninstall %q finds codex at %q", start, got)
	}
}

// which returns what a new shell says that codex is; the shell may print other things, to a terminal that is not there for one.
func (h *home) which(t *testing.T, start ...string) string {
	t.Helper()
	h.run(t, start[0], append(start[1:], "command -v codex >found; true")...)
	return strings.TrimSpace(readFile(t, h.path("found")))
}

func TestLineForThisShell(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "sh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			needsShell(t, shell)
			h := newHome(t, shell)
			r := h.install(t)
			h.run(t, shell, "-c", r.Line+"\ncommand -v codex >found")
			if got := strings.TrimSpace(readFile(t, h.path("found"))); got != filepath.Join(h.bin(), "codex") {
				t.Errorf("after %s codex is %q", r.Line, got)
			}
			h.setenv("PATH", h.bin()+":"+h.o.Env.Value("PATH"))
			if r := h.install(t); r.Line != "" {
				t.Errorf("install gives the line %s where it is in effect", r.Line)
			}
		})
	}
}

// envText is the file that puts bin on PATH, of a prefix with every character that shells know.
func envText(name string) (bin, text string) {
	s := &session{prefix: `/ö '"$X*?[a] \x`, bin: `/ö '"$X*?[a] \x/bin`}
	return s.bin, s.files()[name]
}

// The file env holds under the strictest options of each shell, with no PATH at all, and with ten thousand entries. Read again, it changes
// nothing, and where bin was further back it is moved.
func TestEnvUnderOptions(t *testing.T) {
	long := strings.Repeat("/a/b c:", 10000) + "/usr/bin:/bin"
	for _, shell := range [][]string{
		{"bash", "-euo", "pipefail"}, {"bash", "--posix", "-eu"}, {"/bin/sh", "-eu"}, {"zsh", "-fueyk"}, {"zsh", "-fu", "--glob-subst", "--rc-quotes"},
	} {
		t.Run(strings.Join(shell, " "), func(t *testing.T) {
			needsShell(t, shell[0])
			for _, path := range []string{"", ":", "/bin", "/bin:", ":/bin:", "/l/m", "/bin:/l/m", long} {
				bin, text := envText(posixEnv)
				script := "PATH=$WANT\n" + text + text + "[ -z \"$PATH\" ] || PATH=/usr/bin:$PATH:/x\n" + text + `printf %s "$PATH"`
				cmd := exec.Command(shell[0], append(shell[1:], "-c", script)...)
				cmd.Env = []string{"WANT=" + path, "LC_ALL=C.UTF-8"}
				want := bin + ":/usr/bin:" + path + ":/x"
				if path == "" {
					want = bin + ":/usr/bin:/x"
				}
				if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
					t.Errorf("with PATH %.40q: %v, PATH is %.80q, want %.80q", path, err, out, want)
				}
			}
		})
	}
}

func TestFishEnv(t *testing.T) {
	testhome.Needs(t, "fish")
	bin, text := envText(fishEnv)
	cmd := exec.Command("fish", "--no-config", "-c", text+text+`string join : -- $PATH`)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + t.TempDir(), "LC_ALL=C.UTF-8"}
	out, err := cmd.CombinedOutput()
	if want := bin + ":/usr/bin:/bin"; err != nil || strings.TrimSpace(string(out)) != want {
		t.Errorf("fish: %v, PATH is %q, want %q", err, out, want)
	}
}

// zsh's directory may be set, without being exported, in the one file of HOME that is always read.
func TestZdotdir(t *testing.T) {
	testhome.Needs(t, "zsh")
	for name, tt := range map[string]struct{ zshenv, env string }{
		"set in .zshenv":      {zshenv: "print noise\nZDOTDIR=$HOME/.config/zsh"},
		"exported by .zshenv": {zshenv: "export ZDOTDIR=$HOME/.config/zsh", env: ".config/zsh"},
		"in the environment":  {env: ".config/zsh"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t, "zsh")
			h.write(t, ".config/zsh/.zshrc", "PATH=/usr/bin:$PATH")
			if tt.zshenv != "" {
				h.write(t, ".zshenv", tt.zshenv)
			}
			if tt.env != "" {
				h.setenv("ZDOTDIR", h.path(tt.env))
			}
			before := snapshot(t, h.o.Home)
			h.install(t)
			want := filepath.Join(h.bin(), "codex")
			for _, start := range [][]string{{"zsh", "-c"}, {"zsh", "-ic"}, {"zsh", "-lc"}} {
				if got := h.which(t, start...); got != want {
					t.Errorf("%q finds codex at %q, want %q", start, got, want)
				}
			}
			testhome.NoError(t, os.Remove(h.path("found")))
			h.uninstall(t)
			before.same(t, h.o.Home)
		})
	}
}
