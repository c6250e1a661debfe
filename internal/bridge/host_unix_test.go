//go:build unix

package bridge

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"swop/config"
	"swop/internal/test/testhome"
)

// hostSession is a session with host commands that are shell scripts.
func hostSession(t *testing.T, scripts map[string]string) *Session {
	t.Helper()
	return open(t, func(o *Options) {
		for name, script := range scripts {
			o.Commands = append(o.Commands, config.HostCommand{
				Name: name, Run: []string{"/bin/sh", "-c", script, name, "a"}, Dir: o.Home,
			})
		}
		o.Secrets = []string{"SANDBOX_TRACKER"}
		o.Env = append(o.Env, "OTHER=1")
	})
}

// TestHostCommandLeft: a command ends when who called it goes, and when the session does.
func TestHostCommandLeft(t *testing.T) {
	s := hostSession(t, map[string]string{"wait": `trap 'echo ended >>"$1"; exit' TERM; echo started; while :; do sleep 0.01; done`})
	call := func() (gone func()) {
		conn, err := dial(s.Dir())
		testhome.NoError(t, err)
		testhome.NoError(t, json.NewEncoder(conn).Encode(question{Host: "wait"}))
		if kind, text, err := readFrame(conn); kind != frameOutput || string(text) != "started\n" || err != nil {
			t.Fatalf("it says %c %q, %v", kind, text, err)
		}
		return func() { testhome.NoError(t, conn.Close()) }
	}
	file := filepath.Join(s.options.Home, "a")
	call()()
	for start := time.Now(); !testhome.Exists(file) && time.Since(start) < 10*time.Second; {
		time.Sleep(time.Millisecond)
	}
	testhome.NoError(t, os.Remove(file))
	gone := call()
	testhome.NoError(t, s.Close())
	gone()
	if !testhome.Exists(file) {
		t.Error("the command goes on after the session")
	}
}

func TestUndo(t *testing.T) {
	g := newGitHub(t)
	s, env := gitHubSession(t, g)
	for _, name := range []string{"GH_TOKEN", "GITHUB_TOKEN"} {
		if _, ok := env.Lookup(name); ok {
			t.Errorf("a session has %s", name)
		}
	}
	env = append(env, "GH_CONFIG_DIR_X=1")
	for _, entry := range Undo(env) {
		if strings.HasPrefix(entry, "SWOP_BRIDGE") || strings.Contains(entry, s.Dir()) {
			t.Errorf("what stays is %s", entry)
		}
	}
	mine := config.Env{"GH_CONFIG_DIR=/mine", "SWOP_BRIDGE_DIR=/run"}
	if got := Undo(mine); len(got) != 1 {
		t.Errorf("of %q stays %q", mine, got)
	}
}
