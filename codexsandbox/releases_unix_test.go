//go:build unix

package codexsandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"swop/config"
	"swop/say"
)

func (w world) timesAsked() int {
	w.t.Helper()
	text, err := os.ReadFile(w.asked)
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

// wantRelease checks the release, and how often the fake was asked so far.
func (w world) wantRelease(known *releases, path, release string, asked int) {
	w.t.Helper()
	r, err := known.of(w.t.Context(), path, config.Env{"FAKE_ASKED=" + w.asked, "FAKE_RELEASE=" + release, "PATH=/usr/bin:/bin"})
	if err != nil || r.String() != release {
		w.t.Errorf("the release of %s is %v, %v, want %s", path, r, err, release)
	}
	if got := w.timesAsked(); got != asked {
		w.t.Errorf("%s was asked %d times, want %d", path, got, asked)
	}
}

// native writes a fake that is a program.
func (w world) native(file string) {
	w.t.Helper()
	own, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	text, err := os.ReadFile(own)
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(file, string(text))
}

// A native codex is asked once for each state of its file.
func TestReleaseOfNative(t *testing.T) {
	w := newWorld(t)
	var known releases
	file, link := filepath.Join(w.home, "codex-x86_64"), filepath.Join(w.home, "link")
	w.native(file)
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	w.wantRelease(&known, file, "0.155.0", 1)
	w.wantRelease(&known, file, "0.155.0", 1)
	w.wantRelease(&known, link, "0.155.0", 1)
	if err := os.Rename(file, file+".old"); err != nil {
		t.Fatal(err)
	}
	w.native(file)
	w.wantRelease(&known, file, "0.169.0", 2)
	w.wantRelease(&known, link, "0.169.0", 2)
	w.native(file) // in place: the same inode and size
	w.wantRelease(&known, file, "0.170.0", 3)
}

// A program of another name that codex links to chooses the release itself, for instance by the directory.
func TestReleaseOfDispatcher(t *testing.T) {
	w := newWorld(t)
	var known releases
	if err := os.Symlink(filepath.Join(w.home, "mise"), filepath.Join(w.home, "codex")); err != nil {
		t.Fatal(err)
	}
	w.native(filepath.Join(w.home, "mise"))
	w.wantRelease(&known, filepath.Join(w.home, "codex"), "0.155.0", 1)
	w.wantRelease(&known, filepath.Join(w.home, "codex"), "0.169.0", 2)
}

// So may an unknown script.
func TestReleaseOfScript(t *testing.T) {
	w := newWorld(t)
	var known releases
	w.wantRelease(&known, filepath.Join(w.fakes, "codex"), "0.169.0", 1)
	w.wantRelease(&known, filepath.Join(w.fakes, "codex"), "0.169.0", 2)
	w.write(filepath.Join(filepath.Dir(w.fakes), "package.json"), `{"name": "a-wrapper"}`)
	w.wantRelease(&known, filepath.Join(w.fakes, "codex"), "0.169.0", 3)
	w.wantRelease(&known, filepath.Join(w.fakes, "codex"), "0.169.0", 4)
}

// npm's launcher runs what its package.json names; an update replaces that, and may keep the launcher's own file.
func TestReleaseOfLauncher(t *testing.T) {
	w := newWorld(t)
	var known releases
	pkg := filepath.Join(w.home, "lib", "node_modules", "@openai", "codex")
	if err := os.MkdirAll(filepath.Join(pkg, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	launcher := filepath.Join(w.home, "codex")
	if err := os.Symlink(filepath.Join(pkg, "bin", "codex.js"), launcher); err != nil {
		t.Fatal(err)
	}
	w.write(filepath.Join(pkg, "bin", "codex.js"), "#!/bin/sh\necho asked >>\"$FAKE_ASKED\"; echo \"codex-cli $FAKE_RELEASE\"\n")
	update := func(version string) {
		t.Helper()
		next := filepath.Join(pkg, "next")
		w.write(next, fmt.Sprintf(`{"name": "@openai/codex", "version": %q}`, version))
		if err := os.Rename(next, filepath.Join(pkg, "package.json")); err != nil {
			t.Fatal(err)
		}
	}
	update("0.155.0")
	w.wantRelease(&known, launcher, "0.155.0", 1)
	w.wantRelease(&known, launcher, "0.155.0", 1)
	update("0.169.0")
	w.wantRelease(&known, launcher, "0.169.0", 2)
	w.wantRelease(&known, launcher, "0.169.0", 2)
}

func TestReleaseUnknown(t *testing.T) {
	w := newWorld(t)
	for script, want := range map[string]string{
		"echo hello":                     `no release in "hello\n"`,
		"echo codex-cli 0.0.0":           "no release in",
		"echo codex-cli 0.169.0 >&2":     `no release in ""`,
		"echo codex-cli 0.169.0; exit 3": "exit status 3",
		"yes | head -c 1000000":          "no release in",
		"kill -KILL $$":                  "signal: killed",
	} {
		w.write(filepath.Join(w.fakes, "codex"), "#!/bin/sh\n"+script+"\n")
		run, err := w.client("Work").Run(t.Context(), sh("true"))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "is unknown") || run.Args != nil {
			t.Errorf("%q: %+v, %v, want %q", script, run, err, want)
		}
		if hints := say.Hints(err); len(hints) != 1 || !strings.HasSuffix(hints[0], "--version") {
			t.Errorf("%q: hints %q", script, hints)
		}
		wantFree(t, w, "work")
	}
}

// A codex that hangs is killed when the context ends, with all that it started.
func TestReleaseThatHangs(t *testing.T) {
	w := newWorld(t)
	fifo := filepath.Join(w.home, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	w.write(filepath.Join(w.fakes, "codex"), fmt.Sprintf("#!/bin/sh\nsleep 300 & a=$!; setsid sleep 300 & echo $a $! $$ >'%s'; wait\n", fifo))
	ctx, cancel := context.WithCancel(t.Context())
	pids := make(chan []byte, 1)
	go func() {
		defer cancel()
		text, err := os.ReadFile(fifo)
		if err != nil {
			t.Error(err)
		}
		pids <- text
	}()
	if _, err := w.client("Work").Run(ctx, sh("true")); err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Errorf("%v, want a cancelled context", err)
	}
	wantTreeGone(t, <-pids)
}
