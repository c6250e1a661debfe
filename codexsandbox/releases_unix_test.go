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

	"swop/internal/say"
	"swop/internal/test/testhome"
)

func TestReleaseUnknown(t *testing.T) {
	w := newWorld(t)
	for script, want := range map[string]string{
		"echo hello":                     `no release in "hello\n"`,
		"echo codex-cli 0.0.0":           "no release in",
		"echo codex-cli 0.169.0 >&2":     `no release in ""`,
		"echo codex-cli 0.169.0; exit 3": "exit status 3",
		"exec yes":                       "signal: broken pipe",
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
	testhome.NoError(t, syscall.Mkfifo(fifo, 0o600))
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
