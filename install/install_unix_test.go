//go:build unix

package install

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/disk"
	"swop/internal/test/testfile"
	"swop/internal/test/testhome"
)

func TestMain(m *testing.M) {
	if err := os.Setenv("TMPDIR", testhome.ProgramScratch()); err != nil { // an install syncs what it writes
		panic(err)
	}
	os.Exit(testhome.Suite{Tests: m, Programs: []string{"zsh", "fish", "shellcheck", "npm"}}.Run())
}

// A home is a fresh HOME and the options of an install there.
type home struct {
	*testing.T
	o Options
}

// newHome returns a HOME with a space, a quote and letters beyond ASCII in its name, and a real codex last on PATH. The programs are
// scripts that print their version.
func newHome(t *testing.T, shell string) *home {
	t.Helper()
	dir := filepath.Join(t.TempDir(), `hö me's "$X`)
	testhome.NoError(t, os.MkdirAll(filepath.Join(dir, ".local/share"), 0o755))
	real := testfile.Put(t, filepath.Join(t.TempDir(), "codex"), "#!/bin/sh\necho the real codex\n", 0o755)
	path := filepath.Dir(real) + ":/usr/local/bin:/usr/bin:/bin"
	env := config.Env{"HOME=" + dir, "SHELL=" + shell, "PATH=" + path, "TERM=dumb", "LANG=C.UTF-8"}
	return &home{t, Options{From: programs(t, "v1"), Home: dir, Env: env}}
}

func programs(t *testing.T, version string) string {
	dir := t.TempDir()
	for _, name := range programNames() {
		testfile.Put(t, filepath.Join(dir, name), "#!/bin/sh\necho "+version+"\n", 0o700)
	}
	return dir
}

func (h *home) prefix() string { return DefaultPrefix(h.o.Home, h.o.Env) }

func (h *home) bin() string { return filepath.Join(h.prefix(), "bin") }

func (h *home) path(name string) string { return filepath.Join(h.o.Home, filepath.FromSlash(name)) }

func (h *home) setenv(name, value string) { h.o.Env = h.o.Env.With(name, value) }

func (h *home) write(name, text string) {
	h.Helper()
	testfile.Put(h.T, h.path(name), text, 0o644)
}

func (h *home) read(name string) string {
	return testhome.TextOf(h.path(name))
}

// line is what an install adds to a start-up file that ends in a newline.
func (h *home) line(env string) string {
	h.Helper()
	s, err := begin(h.o)
	testhome.NoError(h, err)
	return s.line(startup{env: env}) + ours + "\n"
}

// install and uninstall return what was changed and warned of.
func (h *home) install() Report {
	h.Helper()
	r, err := Install(h.o)
	testhome.NoError(h, err)
	return r
}

func (h *home) uninstall() Report {
	h.Helper()
	r, err := Uninstall(h.o)
	testhome.NoError(h, err)
	return r
}

// same fails unless the home is as it was when the tree was taken.
func (h *home) same(want string) {
	h.Helper()
	if got := testhome.Tree(h.T, h.o.Home); got != want {
		h.Errorf("the home is\n%.2000s\nwant\n%.2000s", got, want)
	}
}

// which returns what a new shell says that codex is, after a line; the shell may print other things.
func (h *home) which(line string, start ...string) string {
	h.Helper()
	cmd := exec.Command(start[0], append(slices.Clone(start[1:]), line+"\ncommand -v codex >found; true")...)
	cmd.Env, cmd.Dir = h.o.Env, h.o.Home
	if out, err := cmd.CombinedOutput(); err != nil {
		h.Fatalf("%q: %v\n%s", start, err, out)
	}
	found := strings.TrimSpace(h.read("found"))
	testhome.NoError(h, os.Remove(h.path("found")))
	return found
}

// homes are the states that start-up files are found in.
var homes = map[string]struct {
	shell string
	files map[string]string
	links map[string]string // path to target
}{
	"empty bash": {shell: "/bin/bash"},
	"empty zsh":  {shell: "zsh"},
	"empty fish": {shell: "/usr/bin/fish", files: map[string]string{".config/mine": ""}},
	"every file": {shell: "bash", files: map[string]string{
		".bashrc": "x\n", ".bash_profile": "x\n", ".bash_login": "x\n", ".profile": "x\n", ".zshenv": "x=1\n", ".zprofile": "x=1\n",
		".zshrc": "x\n", ".zlogin": "x\n", ".config/fish/config.fish": "set x 1\n", ".config/powershell/profile.ps1": "",
	}},
	"no final newline": {shell: "zsh", files: map[string]string{".zshenv": "x=1", ".zshrc": "\n\nx", ".bashrc": "# \\", ".profile": ""}},
	"strange bytes":    {shell: "bash", files: map[string]string{".bashrc": "a\x01b\xff\r\n\r\n# swop\n"}},
	"dotfiles": {
		shell: "bash",
		files: map[string]string{"dots/bashrc": "x", "dots/zshrc": "x\n", "dots/sub/profile": "y\n", "dots/fish/config.fish": "set x"},
		links: map[string]string{
			".bashrc": "dots/bashrc", ".zshrc": "dots/link", "dots/link": "zshrc", ".profile": "dots/sub/profile",
			".config": "dots",
		},
	},
}

// An install changes what its report names, and no other file; a second one changes nothing. An uninstall gives every file back, and a
// second one changes nothing.
func TestInstallTwiceUninstallTwice(t *testing.T) {
	for name, tt := range homes {
		t.Run(name, func(t *testing.T) {
			h := newHome(t, tt.shell)
			for name, text := range tt.files {
				h.write(name, text)
			}
			for name, target := range tt.links {
				testfile.Symlink(t, target, h.path(name))
			}
			before := testhome.Tree(t, h.o.Home)
			h.checkReport(before, h.install())
			installed := testhome.Tree(t, h.o.Home)
			h.o.From = h.bin()
			if r := h.install(); len(r.Changes) != 0 || !Complete(h.o) {
				t.Errorf("the second install changed %v; complete: %v", r.Changes, Complete(h.o))
			}
			h.same(installed)
			h.uninstall()
			h.same(before)
			if r := h.uninstall(); len(r.Changes) != 0 || len(r.Warnings) != 0 || Complete(h.o) {
				t.Errorf("the second uninstall changed %v and warned %v; complete: %v", r.Changes, r.Warnings, Complete(h.o))
			}
		})
	}
}

// checkReport compares what changed, since before, with what the report says of it.
func (h *home) checkReport(before string, r Report) {
	h.Helper()
	var want []string
	known := strings.Split(before, "\n")
	for _, line := range strings.Split(testhome.Tree(h.T, h.o.Home), "\n") {
		if name := strings.Fields(line)[1]; line[0] != 'd' && !slices.Contains(known, line) {
			action := "new      "
			if strings.Contains(before, " "+name+" ") {
				action = "changed  "
			}
			want = append(want, action+filepath.Join(h.o.Home, name))
		}
	}
	var got []string
	for _, change := range r.Changes {
		path, err := filepath.EvalSymlinks(change[9:])
		testhome.NoError(h, err)
		got = append(got, change[:9]+path)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		h.Errorf("reported is %q, want %q", got, want)
	}
}

// What the user or another tool wrote after the line stays, also in a file that swop made; a new install puts the line after it. Modes are
// kept, and a program that runs keeps its file.
func TestInstallAgain(t *testing.T) {
	h := newHome(t, "bash")
	h.write(".bashrc", "mine")
	h.install()
	h.write(".profile", "alias x=y\n"+h.read(".profile"))
	h.write(".bashrc", h.read(".bashrc")+"nvm\n")
	testfile.Chmod(t, h.path(".bashrc"), 0o640)
	running, err := os.Stat(filepath.Join(h.bin(), "codex"))
	testhome.NoError(t, err)
	h.o.From = programs(t, "v2")
	h.install()
	testfile.WantFile(t, h.path(".bashrc"), "mine\nnvm\n"+h.line(posixEnv), 0o640)
	testfile.WantFile(t, filepath.Join(h.bin(), "codex"), "#!/bin/sh\necho v2\n", 0o755)
	if now, err := os.Stat(filepath.Join(h.bin(), "codex")); err != nil || os.SameFile(running, now) {
		t.Errorf("the running program was written over (%v)", err)
	}
	h.uninstall()
	testfile.WantFile(t, h.path(".bashrc"), "mine\nnvm\n", 0o640)
	testfile.WantFile(t, h.path(".profile"), "alias x=y\n", 0o644)
}

// Nothing is changed by an install that is refused: into a directory that is not swop's, from one without programs, at a place that PATH
// cannot hold.
func TestInstallRefuses(t *testing.T) {
	h := newHome(t, "bash")
	h.write("theirs/bin/codex", "#!/bin/sh\necho mine\n")
	h.write("theirs/env", "# rustup shell setup\n")
	before := testhome.Tree(t, h.o.Home)
	for prefix, want := range map[string]error{"relative": ErrUsage, "/a:b": ErrUsage, "/a\nb": ErrUsage, h.path("theirs"): disk.ErrUnsafe} {
		h.o.Prefix = prefix
		if _, err := Install(h.o); !errors.Is(err, want) {
			t.Errorf("Install with prefix %q = %v, want %v", prefix, err, want)
		}
	}
	h.o.Prefix = h.path("theirs")
	h.uninstall()
	h.o.Prefix, h.o.From = "", "/usr/bin"
	if _, err := Install(h.o); !errors.Is(err, ErrUsage) {
		t.Errorf("Install from %q = %v, want ErrUsage", h.o.From, err)
	}
	h.same(before)
}

// What install.sh let npm install goes; what is not swop's stays.
func TestUninstallKeeps(t *testing.T) {
	h := newHome(t, "bash")
	npm := filepath.Join(h.prefix(), "npm")
	for mine, left := range map[string]string{h.bin() + "/mine": npm, npm + "/lib/node_modules/mine/x.js": npm + "/bin"} {
		h.install()
		codex := filepath.Dir(testfile.Put(t, filepath.Join(npm, "lib/node_modules/@openai/codex/x.js"), "", 0o755))
		testfile.Put(t, npm+"/bin/codex", "", 0o755)
		testfile.Put(t, mine, "", 0o644)
		if r := h.uninstall(); !slices.Contains(r.Changes, "removed  "+codex) || exists(codex) || exists(left) || !exists(mine) {
			t.Errorf("uninstall reports %q; %s is there: %v, the user's file: %v", r.Changes, left, exists(left), exists(mine))
		}
		testhome.NoError(t, os.RemoveAll(h.prefix()))
	}
}

// A start-up file that cannot be changed, or whose line was edited, stays, and is a warning that names it and the line; everything else
// goes on.
func TestStartFileThatStays(t *testing.T) {
	for name, put := range map[string]func(h *home, path string){
		"read-only": func(h *home, path string) { testfile.Put(h.T, path, "x\n", 0o444) },
		"directory": func(h *home, path string) { testhome.NoError(h, os.Mkdir(path, 0o755)) },
		"dangling":  func(h *home, path string) { testfile.Symlink(h.T, "nowhere", path) },
		"unread":    func(h *home, path string) { testfile.Symlink(h.T, "/dev/null/x", path) },
		"UTF-16":    func(h *home, path string) { testfile.Put(h.T, path, "\xff\xfex\x00", 0o644) },
		"edited": func(h *home, path string) {
			testfile.Put(h.T, path, "x\n"+strings.Replace(h.line(posixEnv), ours, " && echo mine", 1), 0o644)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t, "bash")
			put(h, h.path(".bashrc"))
			before := testhome.Tree(t, h.o.Home)
			r := h.install()
			if len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0].Error(), h.path(".bashrc")+": ") || !exists(h.path(".profile")) {
				t.Errorf("warnings %q, want one of .bashrc; the other file is there: %v", r.Warnings, exists(h.path(".profile")))
			}
			if r := h.uninstall(); len(r.Warnings) == 1 != (name == "edited" || name == "unread") {
				t.Errorf("uninstall warns %q", r.Warnings)
			}
			h.same(before)
		})
	}
}
