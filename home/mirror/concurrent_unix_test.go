//go:build unix

package mirror

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"swop/disk"
	"swop/internal/testhome"
)

// TestEngineConcurrent runs twenty reconciles at a time, of three accounts, over one shared home while their programs write: each program
// its own files, files that all replace in turn, and sessions. It ends when each program has written its part.
func TestEngineConcurrent(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a", "b", "c")
	var done atomic.Bool
	var programs, reconciles sync.WaitGroup
	failures := make(chan error, 1000)
	for i := range 20 {
		reconciles.Go(func() {
			for !done.Load() {
				w := *w // each has its own list of what was said
				key := []string{"a", "b", "c"}[i%3]
				if err := recovered(func() error { return w.reconcile(key, busy) }); err != nil {
					offer(failures, fmt.Errorf("reconcile of %s: %w", key, err))
				}
			}
		})
	}
	for _, key := range w.keys() {
		programs.Go(func() {
			if err := writeMuch(w, key); err != nil {
				offer(failures, fmt.Errorf("program of %s: %w", key, err))
			}
		})
	}
	programs.Wait()
	done.Store(true)
	reconciles.Wait()
	close(failures)
	told := map[string]int{}
	for err := range failures {
		told[err.Error()]++
	}
	for text, n := range told {
		t.Errorf("%d times: %s", n, text)
	}
	checkMuch(t, w)
}

func offer(to chan<- error, err error) {
	select {
	case to <- err:
	default: // enough are told
	}
}

// crowdRounds is how often each program writes: about a second's worth.
const crowdRounds = 150

func writeMuch(w *testWorld, key string) error {
	dir := w.codex(key)
	for i := range crowdRounds {
		text := fmt.Sprintf("<%s %d>", key, i)
		err := errors.Join(
			os.WriteFile(filepath.Join(dir, fmt.Sprintf("new-%s-%d", key, i)), []byte(text), 0o600),
			writeOver(filepath.Join(dir, "config.toml"), fmt.Sprintf(".%s-%d.new", key, i), text),
			appendLine(filepath.Join(dir, "history.jsonl"), text),
			os.WriteFile(filepath.Join(dir, "auth.json"), []byte(text), 0o600),
		)
		if session := filepath.Join(dir, "sessions", fmt.Sprint(i%7)); os.MkdirAll(session, 0o700) == nil {
			err = errors.Join(err, appendLine(filepath.Join(session, key), text))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func writeOver(file, tmp, text string) error {
	tmp = filepath.Join(filepath.Dir(file), tmp)
	return errors.Join(os.WriteFile(tmp, []byte(text), 0o600), os.Rename(tmp, file))
}

func appendLine(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text + "\n")
	return errors.Join(err, f.Close())
}

func checkMuch(t *testing.T, w *testWorld) {
	start := time.Now()
	if err := w.settle(); err != nil {
		t.Error(err)
	}
	all := w.everything()
	for _, key := range w.keys() {
		for i := range crowdRounds {
			text := fmt.Sprintf("<%s %d>", key, i)
			if got := testhome.TextOf(filepath.Join(w.shared, fmt.Sprintf("new-%s-%d", key, i))); got != text {
				t.Errorf("new-%s-%d is %q, want %q", key, i, got, text)
			}
			if n := strings.Count(all, text+"\n"); n < 2 {
				t.Errorf("of %s, which was appended to two files, %d are there", text, n)
			}
		}
		if got, want := testhome.TextOf(filepath.Join(w.codex(key), "auth.json")), fmt.Sprintf("<%s %d>", key, crowdRounds-1); got != want {
			t.Errorf("the login of %s is %q, want %q", key, got, want)
		}
	}
	for _, line := range append(w.tree(w.home), w.tree(w.store.Root)...) {
		if strings.Contains(line, disk.CopyPrefix) {
			t.Errorf("a temporary name is left: %s", line)
		}
	}
	t.Logf("%d kept, checked in %v", len(w.tree(w.kept())), time.Since(start))
}

// BenchmarkEngine10000 reconciles an account of a shared home with 10,000 entries: the first time, and with nothing to do.
func BenchmarkEngine10000(b *testing.B) {
	w := newWorld(b, testhome.Scratch(b), "a")
	for i := range 10_000 {
		testhome.PutText(b, filepath.Join(w.shared, fmt.Sprintf("entry-%d", i)), "")
	}
	start := time.Now()
	testhome.NoError(b, w.reconcile("a", noProcesses))
	b.Logf("10,000 entries linked in %v", time.Since(start))
	for b.Loop() {
		testhome.NoError(b, w.reconcile("a", noProcesses))
	}
}

// BenchmarkEngineAdopt10000 adopts 10,000 new entries.
func BenchmarkEngineAdopt10000(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		w := newWorld(b, testhome.Scratch(b), "a")
		for i := range 10_000 {
			testhome.PutText(b, filepath.Join(w.codex("a"), fmt.Sprintf("entry-%d", i)), "")
		}
		b.StartTimer()
		testhome.NoError(b, w.reconcile("a", noProcesses))
	}
}
