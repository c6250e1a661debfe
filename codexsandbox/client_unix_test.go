//go:build unix

package codexsandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"swop/internal/account"
	"swop/internal/test/testhome"
	"swop/shim"
)

func TestRun(t *testing.T) {
	w := newWorld(t)
	dir := t.TempDir()
	r := sh(`printf '%s|' "$HOME" "$CODEX_HOME" "$SWOP_ACCOUNT" "$OUTER" "$NEW" "$PWD" "$@"; printf 'e\0\377' >&2; exit 7`, "a b", "", "$x;", "é")
	r.FullAuto, r.ConfigOverrides, r.WorkingDir, r.Env = true, []string{"a=b c"}, dir, []string{"NEW=x", "OUTER=2"}
	run := w.run(r)
	home := filepath.Dir(w.codexHome("work"))
	want := strings.Join([]string{home, home + "/.codex", "work", "2", "x", dir, "a b", "", "$x;", "é", ""}, "|")
	if string(run.Stdout) != want || string(run.Stderr) != "e\x00\xff" || run.Status != 7 || run.Signal != 0 || run.Stopped != "" {
		t.Errorf("Run = %+v\nstdout %q\n  want %q\nstderr %q", run, run.Stdout, want, run.Stderr)
	}
	args := append([]string{"codex", "sandbox", "-P", ":workspace", "--config", "a=b c", "--"}, r.Command...)
	if run.Release.String() != "0.169.0" || !slices.Equal(run.Args, args) {
		t.Errorf("release %v, args %q, want %q", run.Release, run.Args, args)
	}
	if got := w.lines(w.args); !slices.Equal(got, args[1:]) {
		t.Errorf("codex got %q, want %q", got, args[1:])
	}
}

// A caller in a session of one account can run under another, whose session knows the way out.
func TestRunNested(t *testing.T) {
	w := newWorld(t)
	call, err := w.client("Play").Prepare(t.Context(), sh("true"))
	testhome.NoError(t, err)
	testhome.NoError(t, call.Close())
	c := w.client("Work")
	c.Env = call.Env
	run, err := c.Run(t.Context(), sh(`echo "$CODEX_HOME $SWOP_OUTER"`))
	if want := fmt.Sprintf("%s HOME=%q\n", w.codexHome("work"), w.home); err != nil || string(run.Stdout) != want {
		t.Errorf("nested: %q, %v, want %q", run.Stdout, err, want)
	}
}

func TestStatus(t *testing.T) {
	w := newWorld(t)
	for script, want := range map[string]Run{
		"exit 0":        {},
		"exit 1":        {Status: 1},
		"exit 101":      {Status: 101},
		"exit 255":      {Status: 255},
		"exit 128":      {Status: 128},
		"exit 143":      {Status: 143, Signal: syscall.SIGTERM}, // as codex reports it
		"kill -TERM $$": {Status: 143, Signal: syscall.SIGTERM},
		"kill -KILL $$": {Status: 137, Signal: syscall.SIGKILL},
	} {
		if got := w.run(sh(script)); got.Status != want.Status || got.Signal != want.Signal || got.Stopped != "" {
			t.Errorf("%q: %d, %v, %q, want %d, %v", script, got.Status, got.Signal, got.Stopped, want.Status, want.Signal)
		}
	}
}

// The shim is skipped, also if PATH has a link to it.
func TestRunSkipsTheShim(t *testing.T) {
	w := newWorld(t)
	dir := t.TempDir()
	for _, name := range []string{"codex", "codex-swop"} {
		w.write(filepath.Join(dir, name), "#!/bin/sh\nexit 99\n")
	}
	links := t.TempDir()
	testhome.NoError(t, os.Symlink(filepath.Join(dir, "codex"), filepath.Join(links, "codex")))
	c := w.client("Work")
	c.Env = w.env().With("PATH", links+":"+dir+":"+w.env().Value("PATH"))
	if run, err := c.Run(t.Context(), sh("exit 7")); err != nil || run.Status != 7 {
		t.Errorf("with the shim first on PATH: %+v, %v", run, err)
	}
	c = w.client("Work")
	c.Shim = filepath.Join(w.fakes, "codex")
	if _, err := c.Run(t.Context(), sh("true")); !errors.Is(err, shim.ErrNoCodex) {
		t.Errorf("with the only codex as the shim: %v", err)
	}
}

// The account is held while the command runs, by codex too, and free afterwards.
func TestRunHoldsTheAccount(t *testing.T) {
	w := newWorld(t)
	stdin, feed, err := os.Pipe()
	testhome.NoError(t, err)
	defer stdin.Close()
	started, ended := make(chan struct{}), make(chan Run)
	r := sh("echo started; read line; ls -l /proc/$$/fd 2>/dev/null")
	r.Stdin = stdin
	r.Stdout.Mirror = &once{to: started}
	go func() { ended <- w.run(r) }()
	<-started
	if l, err := w.store.LockExclusive("work"); !errors.Is(err, account.ErrInUse) {
		l.Release()
		t.Errorf("while it runs the lock can be had: %v", err)
	}
	wantFree(t, w, "play")
	feed.Close()
	if run := <-ended; !strings.Contains(string(run.Stdout), "locks/work") {
		t.Errorf("codex does not have the lock open: %q", run.Stdout)
	}
	wantFree(t, w, "work")
}

// once closes the channel at the first write.
type once struct {
	to   chan struct{}
	once sync.Once
}

func (o *once) Write(p []byte) (int, error) {
	o.once.Do(func() { close(o.to) })
	return len(p), nil
}

// wantFree waits until nobody holds the account: between its fork and its exec a child of another test has all descriptors of this
// process, the lock's too.
func wantFree(t *testing.T, w world, key string) {
	t.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for late := time.After(2 * time.Minute); ; {
		l, err := w.store.LockExclusive(key)
		if err == nil {
			l.Release()
			return
		}
		select {
		case <-look.C:
		case <-late:
			t.Errorf("the account %s is held: %v", key, err)
			return
		}
	}
}

func TestRunWithCanceledContext(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.client("Work").Run(ctx, sh("true")); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that is cancelled already: %v", err)
	}
	if _, err := os.Stat(w.args); !os.IsNotExist(err) {
		t.Errorf("the command was run (%v)", err)
	}
	wantFree(t, w, "work")
}
