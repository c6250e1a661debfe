package preflight

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/confine/mountns"
	"swop/internal/testhome"
)

// TestMain lets this program be the process that mounts.
func TestMain(m *testing.M) {
	if os.Args[0] == mountns.Name {
		os.Exit(mountns.Try(os.Args[1:]))
	}
	os.Exit(testhome.Suite{Tests: m, Programs: []string{"apparmor_parser"}}.Run())
}

// TestCheckVersion: what says that it is an old bubblewrap, or none, is refused, and so is what ends badly or not at all.
func TestCheckVersion(t *testing.T) {
	for _, tt := range []struct{ script, want string }{
		{"echo bubblewrap 0.8.0", ""},
		{"echo bubblewrap 0.5.0", ""},
		{"echo bubblewrap 1.0.0", ""},
		{"echo bubblewrap built for Codex", ""},
		{"echo bubblewrap 0.4.9", "is release 0.4.9, older than 0.5.0"},
		{"echo bubblewrap", "does not say that it is bubblewrap"},
		{"echo bwrap 0.8.0", "does not say that it is bubblewrap"},
		{"echo bubblewrap 0.8.0; exit 1", "does not say that it is bubblewrap"},
		{"kill -9 $$", "does not say that it is bubblewrap"},
	} {
		file := filepath.Join(t.TempDir(), "bwrap")
		testhome.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"+tt.script+"\n"), 0o700))
		err := checkVersion(file)
		var unavailable *Unavailable
		if (err != nil) != (tt.want != "") || err != nil && (!errors.As(err, &unavailable) || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.script, err, tt.want)
		}
	}
}

// TestPreflightRemembered: what was found good is not tried again until bubblewrap or codex is another one; what failed is.
func TestPreflightRemembered(t *testing.T) {
	dir := t.TempDir()
	bwrap, codex, ok := filepath.Join(dir, "bwrap"), filepath.Join(dir, "codex"), filepath.Join(dir, "ok")
	tried := func(script string, want bool) {
		t.Helper()
		calls := filepath.Join(dir, "calls")
		testhome.NoError(t, os.WriteFile(calls, nil, 0o600))
		if script != "" {
			testhome.NoError(t, os.WriteFile(bwrap, []byte("#!/bin/sh\necho call >>"+calls+"\n"+script+"\n"), 0o700))
		}
		err := check(bwrap, codex, ok)
		if failed := strings.Contains(testhome.TextOf(bwrap), "exit 1"); (err != nil) != failed {
			t.Errorf("check: %v, want an error: %t", err, failed)
		}
		if got := testhome.TextOf(calls) != ""; got != want {
			t.Errorf("bubblewrap was tried: %t, want %t", got, want)
		}
	}
	testhome.PutFile(t, codex, "one")
	tried("echo bubblewrap 0.8.0; [ $# = 1 ] || exit 1", true)
	tried("", true) // it failed
	tried("echo bubblewrap 0.8.0", true)
	tried("", false)
	testhome.PutFile(t, codex, "another")
	tried("", true)
	tried("", false)
	tried("echo bubblewrap 0.8.1", true)
}
