//go:build unix

package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/testfile"
	"swop/internal/test/testhome"
)

// homes are the states that start-up files are found in.
var homes = map[string]struct {
	shell string
	files map[string]string
	links map[string]string // path to target
}{
	"empty bash":      {shell: "/bin/bash"},
	"empty zsh":       {shell: "zsh"},
	"empty fish":      {shell: "/usr/bin/fish", files: map[string]string{".config/mine": ""}},
	"empty sh":        {shell: "/bin/sh"},
	"unknown shell":   {shell: "/usr/bin/tcsh"},
	"no shell at all": {},
	"debian":          {shell: "bash", files: map[string]string{".bashrc": "case $- in *i*) ;; *) return;; esac\n", ".profile": ". ~/.bashrc\n"}},
	"every file": {shell: "bash", files: map[string]string{
		".bashrc": "x\n", ".bash_profile": "x\n", ".bash_login": "x\n", ".profile": "x\n", ".zshenv": "x=1\n", ".zprofile": "x=1\n",
		".zshrc": "x\n", ".zlogin": "x\n", ".config/fish/config.fish": "set x 1\n", ".config/fish/conf.d/a.fish": "",
	}},
	"no final newline": {shell: "zsh", files: map[string]string{".zshenv": "x=1", ".zshrc": "\n\nx", ".bashrc": "# \\"}},
	"empty files":      {shell: "zsh", files: map[string]string{".zshenv": "", ".zshrc": "", ".profile": "\n"}},
	"strange bytes":    {shell: "bash", files: map[string]string{".bashrc": "a\x00b\xff\r\n\r\n# swop\n"}},
	"huge":             {shell: "bash", files: map[string]string{".bashrc": strings.Repeat("# a line of a huge file, which are ten megabytes\n", 10<<20/48+1)}},
	"dotfiles": {
		shell: "bash",
		files: map[string]string{"dots/bashrc": "x", "dots/zshrc": "x\n", "dots/sub/profile": "y\n", "dots/fish/config.fish": "set x"},
		links: map[string]string{".bashrc": "dots/bashrc", ".zshrc": "dots/link", "dots/link": "zshrc", ".profile": "dots/sub/profile", ".config": "dots"},
	},
}

// An install changes what its report names, and no other file; a second one, from the installed programs, changes nothing. An uninstall
// gives every file back, and a second one changes nothing.
func TestInstallTwiceUninstallTwice(t *testing.T) {
	for name, tt := range homes {
		t.Run(name, func(t *testing.T) {
			h := newHome(t, tt.shell)
			h.o.Completions = map[string]string{"bash": "# bash\n", "zsh": "# zsh\n", "fish": "# fish\n"}
			for name, text := range tt.files {
				h.write(t, name, text)
			}
			for name, target := range tt.links {
				testfile.Symlink(t, target, h.path(name))
			}
			before := snapshot(t, h.o.Home)
			checkReport(t, before, h.install(t), h.o.Home)
			installed := snapshot(t, h.o.Home)
			h.o.From = h.bin()
			if r := h.install(t); len(r.Changes) != 0 {
				t.Errorf("the second install changed %v", r.Changes)
			}
			installed.same(t, h.o.Home)
			h.uninstall(t)
			before.same(t, h.o.Home)
			if r := h.uninstall(t); len(r.Changes) != 0 || len(r.Warnings) != 0 {
				t.Errorf("the second uninstall changed %v and warned %v", r.Changes, r.Warnings)
			}
			before.same(t, h.o.Home)
		})
	}
}

// checkReport compares what changed, since before, with what the report says of it.
func checkReport(t *testing.T, before tree, r Report, dir string) {
	t.Helper()
	reported := map[string]Action{}
	for _, c := range r.Changes {
		path, err := filepath.EvalSymlinks(c.Path)
		testhome.NoError(t, err)
		reported[path] = c.Action
	}
	for _, line := range snapshot(t, dir).minus(before) {
		name := strings.Fields(line)[1]
		if path := filepath.Join(dir, name); !strings.HasPrefix(line, "d") {
			if want := newOrChanged(strings.Contains(string(before), " "+name+" ")); reported[path] != want {
				t.Errorf("%s: reported as %q, want %q", path, reported[path], want)
			}
			delete(reported, path)
		}
	}
	for path, deed := range reported {
		t.Errorf("%s is reported as %s, and is as before in %s", path, deed, dir)
	}
}

func TestUmask(t *testing.T) {
	h := newHome(t, "bash")
	h.write(t, ".bashrc", "x\n")
	testhome.NoError(t, os.Chmod(h.path(".bashrc"), 0o640))
	h.install(t)
	for path, want := range map[string]os.FileMode{
		h.path(".bashrc"): 0o640, filepath.Join(h.bin(), "codex"): 0o755, filepath.Join(h.bin(), "codex-swop"): 0o755,
	} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want mode %v", path, info.Mode(), err, want)
		}
	}
}

// What the user or another tool wrote after the block stays, and a new install puts swop's lines after it.
func TestLinesAddedLater(t *testing.T) {
	h := newHome(t, "bash")
	h.write(t, ".bashrc", "mine")
	h.install(t)
	h.write(t, ".bashrc", readFile(t, h.path(".bashrc"))+"nvm\n")
	if r := h.install(t); len(r.Changes) != 1 {
		t.Errorf("install after another tool changed %v, want .bashrc", r.Changes)
	}
	if text := readFile(t, h.path(".bashrc")); text != "mine\nnvm\n"+h.line(t, posixEnv) {
		t.Errorf("swop's lines are not last, or not once:\n%s", text)
	}
	h.uninstall(t)
	if text := readFile(t, h.path(".bashrc")); text != "mine\nnvm\n" {
		t.Errorf("after uninstall .bashrc is %q", text)
	}
}

func TestCreatedFileThatTheUserTookOver(t *testing.T) {
	h := newHome(t, "bash")
	h.install(t)
	h.write(t, ".bashrc", "alias x=y\n"+readFile(t, h.path(".bashrc")))
	h.install(t)
	h.uninstall(t)
	if text := readFile(t, h.path(".bashrc")); text != "alias x=y\n" {
		t.Errorf("after uninstall .bashrc is %q", text)
	}
	if exists(h.path(".profile")) {
		t.Error("the .profile that install made is still there")
	}
}

func TestAnotherPrefix(t *testing.T) {
	h := newHome(t, "bash")
	h.install(t)
	h.o.Prefix = h.path("other place")
	h.install(t)
	if got := h.which(t, "bash", "-ic"); got != filepath.Join(h.bin(), "codex") {
		t.Errorf("a shell finds codex at %q, not in the second prefix", got)
	}
	testhome.NoError(t, os.Remove(h.path("found")))
	second := h.line(t, posixEnv)
	h.o.Prefix = ""
	h.uninstall(t)
	if text := readFile(t, h.path(".bashrc")); text != second {
		t.Errorf("after uninstall of the first prefix .bashrc is\n%s", text)
	}
}

func TestBadPrefix(t *testing.T) {
	for _, prefix := range []string{"relative", "/a:b", "/a\nb", "/a\x00b"} {
		h := newHome(t, "bash")
		h.o.Prefix = prefix
		before := snapshot(t, h.o.Home)
		if _, err := Install(h.o); err == nil {
			t.Errorf("Install with prefix %q succeeded", prefix)
		}
		before.same(t, h.o.Home)
	}
}

func TestNoModifyPath(t *testing.T) {
	h := newHome(t, "bash")
	h.write(t, ".bashrc", "x\n")
	h.o.NoModifyPath = true
	r := h.install(t)
	if text := readFile(t, h.path(".bashrc")); text != "x\n" || exists(h.path(".profile")) {
		t.Errorf("start-up files were changed: %v", r.Changes)
	}
	if r.Line == "" {
		t.Error("no line for the shell at hand")
	}
	h.o.NoModifyPath = false
	h.uninstall(t)
}
