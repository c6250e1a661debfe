//go:build unix

package codexsandbox

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"swop/internal/test/testhome"
)

func TestMirrors(t *testing.T) {
	w := newWorld(t)
	script := sh("echo out; echo err >&2")
	for _, tt := range []struct {
		name                   string
		change                 func(r *Request, own io.Writer)
		clientOut, clientErr   string
		requestOut, requestErr string
	}{
		{"the client's", func(*Request, io.Writer) {}, "out\n", "err\n", "", ""},
		{"the request's", func(r *Request, own io.Writer) { r.Stdout.Mirror = own }, "", "err\n", "out\n", ""},
		{"quiet", func(r *Request, own io.Writer) { r.Stdout.Quiet, r.Stderr.Quiet = true, true; r.Stderr.Mirror = own }, "", "", "", ""},
		{"one quiet", func(r *Request, own io.Writer) { r.Stdout.Quiet = true; r.Stderr.Mirror = own }, "", "", "", "err\n"},
	} {
		var out, err, own bytes.Buffer
		c := w.client("Work")
		c.Stdout, c.Stderr = &out, &err
		r := script
		tt.change(&r, &own)
		run, runErr := c.Run(t.Context(), r)
		if runErr != nil || string(run.Stdout) != "out\n" || string(run.Stderr) != "err\n" {
			t.Errorf("%s: captured %q, %q, %v", tt.name, run.Stdout, run.Stderr, runErr)
		}
		if out.String() != tt.clientOut || err.String() != tt.clientErr || own.String() != tt.requestOut+tt.requestErr {
			t.Errorf("%s: mirrored %q, %q and %q", tt.name, out.String(), err.String(), own.String())
		}
	}
}

// One writer for both streams is written to by one goroutine at a time (go test -race).
func TestOneMirrorForBoth(t *testing.T) {
	w := newWorld(t)
	var both bytes.Buffer
	c := w.client("Work")
	c.Stdout, c.Stderr = &both, &both
	run, err := c.Run(t.Context(), sh("for i in 1 2 3 4 5 6 7 8 9; do echo out; echo err >&2; done"))
	if err != nil || len(run.Stdout)+len(run.Stderr) != 72 || both.Len() != 72 {
		t.Errorf("%q, %q, mirrored %q, %v", run.Stdout, run.Stderr, both.String(), err)
	}
}

func TestMirrorThatFails(t *testing.T) {
	w := newWorld(t)
	full := errors.New("full")
	r := sh("echo a; echo b; echo c >&2")
	r.Stdout.Mirror = writerFunc(func([]byte) (int, error) { return 0, full })
	run, err := w.client("Work").Run(t.Context(), r)
	if !errors.Is(err, full) || string(run.Stdout) != "a\nb\n" || string(run.Stderr) != "c\n" || run.Status != 0 {
		t.Errorf("with a mirror that fails: %q, %q, %v", run.Stdout, run.Stderr, err)
	}
}

// The mirror has what was written while the command still runs.
func TestMirroredAsItComes(t *testing.T) {
	w := newWorld(t)
	stdin, feed, err := os.Pipe()
	testhome.NoError(t, err)
	defer stdin.Close()
	r := sh("echo first; read line; echo $line")
	r.Stdin = stdin
	r.Stdout.Mirror = writerFunc(func(p []byte) (int, error) {
		if string(p) == "first\n" {
			_, err := io.WriteString(feed, "second\n")
			return len(p), err
		}
		return len(p), nil
	})
	if run := w.run(r); string(run.Stdout) != "first\nsecond\n" {
		t.Errorf("%q", run.Stdout)
	}
	feed.Close()
}

func TestStdin(t *testing.T) {
	w := newWorld(t)
	if run := w.run(sh("cat; echo end")); string(run.Stdout) != "end\n" {
		t.Errorf("without: %q", run.Stdout)
	}
	r := sh("cat")
	r.Stdin = strings.NewReader("what\x00ever")
	if run := w.run(r); string(run.Stdout) != "what\x00ever" {
		t.Errorf("of a reader: %q", run.Stdout)
	}
	// A reader that never ends does not delay the run.
	never, feed := io.Pipe()
	defer feed.Close()
	r = sh("exit 7")
	r.Stdin = never
	if run := w.run(r); run.Status != 7 {
		t.Errorf("of a reader that does not end: %+v", run)
	}
}

func TestMuchOutput(t *testing.T) {
	w := newWorld(t)
	const size = 50_000_000
	run := w.run(sh(`head -c "$1" /dev/zero & head -c "$1" /dev/zero >&2; wait`, strconv.Itoa(size)))
	if len(run.Stdout) != size || len(run.Stderr) != size {
		t.Errorf("%d and %d bytes, want %d of each", len(run.Stdout), len(run.Stderr), size)
	}
}

// tree prints three pids: two children's, its own.
const tree = `sleep 300 & echo $!; sleep 300 & echo $!; echo $$; echo err >&2; `

func wantTreeGone(t *testing.T, out []byte) {
	t.Helper()
	pids := strings.Fields(string(out))
	if len(pids) != 3 {
		t.Fatalf("the command wrote %q, want three pids", out)
	}
	for _, text := range pids {
		pid, err := strconv.Atoi(text)
		testhome.NoError(t, err)
		for end := time.Now().Add(10 * time.Second); !testhome.Ended(pid); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("pid %d of %q is alive", pid, out)
			}
		}
	}
}

func TestTimeout(t *testing.T) {
	w := newWorld(t)
	r := sh(tree + "trap '' TERM INT HUP; wait")
	var run Run
	for r.Timeout = time.Second / 2; len(run.Stderr) == 0 && r.Timeout < time.Minute; r.Timeout *= 2 { // a busy machine is slow to start it
		run = w.run(r)
	}
	if run.Stopped != TimedOut || run.Signal != syscall.SIGKILL || run.Status != 137 || string(run.Stderr) != "err\n" {
		t.Errorf("%+v", run)
	}
	wantTreeGone(t, run.Stdout)
	wantFree(t, w, "work")
}

func TestCancel(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	r := sh(tree + "wait")
	r.Stderr.Mirror = writerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil })
	run, err := w.client("Work").Run(ctx, r)
	if err != nil || run.Stopped != Canceled || run.Signal != syscall.SIGKILL {
		t.Errorf("%+v, %v", run, err)
	}
	wantTreeGone(t, run.Stdout)
}

func TestDeadline(t *testing.T) {
	w := newWorld(t)
	var run Run
	err := context.DeadlineExceeded
	for limit := time.Second / 2; errors.Is(err, context.DeadlineExceeded) && limit < time.Minute; limit *= 2 { // it may come before the start
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		run, err = w.client("Work").Run(ctx, sh("sleep 300"))
		cancel()
	}
	if err != nil || run.Stopped != TimedOut {
		t.Errorf("%+v, %v", run, err)
	}
}

// What a command leaves behind in its session is killed, and does not delay the run.
func TestLeftBehind(t *testing.T) {
	w := newWorld(t)
	run := w.run(sh("sleep 300 & echo $!; (sleep 300 & echo $!); echo $$; exit 7"))
	if run.Status != 7 || run.Stopped != "" {
		t.Errorf("%+v", run)
	}
	wantTreeGone(t, run.Stdout)
}
