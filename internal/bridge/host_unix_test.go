//go:build unix

package bridge

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"swop/config"
	"swop/internal/test/testhome"
)

// TestHostCommandLeft: a command ends when who called it goes, and when the session does, also below a root with a long path.
func TestHostCommandLeft(t *testing.T) {
	const script = `trap 'echo ended >>a; exit' TERM; echo started; while :; do sleep 0.01; done`
	s := open(t, func(o *Options) {
		if runtime.GOOS == "linux" { // elsewhere a socket's path has a bound
			o.Root = filepath.Join(o.Home, strings.Repeat("long", 30))
		}
		o.Commands = []config.HostCommand{{Name: "wait", Run: []string{"/bin/sh", "-c", script}, Dir: o.Home}}
	})
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
	s, env := gitHubSession(t, g, config.GitHubHost)
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
