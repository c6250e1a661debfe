package realcodex_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"swop/e2e/realcodex"
)

// fakeNPM puts an npm before all others that logs its calls, makes what the real one would, and runs script.
func fakeNPM(t *testing.T, script string) (log string) {
	t.Helper()
	dir := t.TempDir()
	log = filepath.Join(dir, "log")
	text := "#!/bin/sh\necho \"$@\" >>" + log + "\n" + script
	if err := os.WriteFile(filepath.Join(dir, "npm"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	return log
}

const makeCodex = `mkdir -p "$3/node_modules/.bin" && : >"$3/node_modules/.bin/codex"`

func TestInstallOnce(t *testing.T) {
	log := fakeNPM(t, makeCodex)
	cache := filepath.Join(t.TempDir(), "cache")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			bin, err := realcodex.Install(t.Context(), cache, "1.2.3")
			if _, gone := os.Stat(filepath.Join(bin, "codex")); err != nil || gone != nil {
				t.Errorf("Install(%q) = %q, %v; codex there: %v", "1.2.3", bin, err, gone)
			}
		})
	}
	all.Wait()
	calls, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(calls), "@openai/codex@1.2.3\n"); n != 1 {
		t.Errorf("npm is called %d times, want once: %q", n, calls)
	}
}

func TestInstallFails(t *testing.T) {
	cache := t.TempDir()
	for script, want := range map[string]string{
		"echo no such version >&2; exit 1": "no such version",
		"exit 0":                           "without its program",
	} {
		fakeNPM(t, script)
		if _, err := realcodex.Install(t.Context(), cache, "1.2.3"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Install with npm %q: %v, want an error with %q", script, err, want)
		}
	}
	// what a failed call left does no harm
	fakeNPM(t, makeCodex)
	if _, err := realcodex.Install(t.Context(), cache, "1.2.3"); err != nil {
		t.Errorf("Install after failures: %v", err)
	}
}

func TestInstallWithoutNPM(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := realcodex.Install(t.Context(), t.TempDir(), "1.2.3"); err == nil || !strings.Contains(err.Error(), "npm") {
		t.Errorf("Install without npm: %v, want an error that names it", err)
	}
}
