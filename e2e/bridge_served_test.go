//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"swop/e2e/realcodex"
	"swop/internal/testhome"
)

// serve serves the login of work in a directory, as a container would have it, until the test ends or stop is called.
func (m members) serve() (dir string, stop func()) {
	m.t.Helper()
	dir = filepath.Join(m.home, "served")
	c := m.start(m.swop("bridge", "serve", "work", "--dir", dir))
	eventually(m.t, "the socket", func() bool {
		_, err := os.Stat(filepath.Join(dir, "login.sock"))
		return err == nil
	})
	return dir, func() {
		testhome.NoError(m.t, c.Process.Signal(os.Interrupt))
		m.finish(c)
	}
}

// other is another machine's user, whose account ci has the login that is served in dir, and nothing of the login itself. Its commands have no network.
func (m members) other(dir string) members {
	m.t.Helper()
	far := members{makeTrial(m.t, m.release, m.programs, freshHome(m.t, "home-")), m.openAI}
	far.write(".codex/config.toml", testhome.TextOf(filepath.Join(m.shared(), "config.toml"))+fmt.Sprintf("[projects.%q]\ntrust_level = \"trusted\"\n", far.work))
	far.write(".config/swop/config.toml", fmt.Sprintf("[accounts.ci]\nlogin = { socket = %q }\n", dir))
	far.ok(far.swop("add", "ci", "--no-login"))
	return far
}

// contained is a command of the other side, in a container without a network.
func (m members) contained(c *command) *command {
	args := append([]string{"--dev-bind", "/", "/", "--unshare-net", "--"}, c.Args...)
	contained := m.command("bwrap", args...)
	contained.Env = c.Env
	return contained
}

// TestServedLogin: a container without a network uses a login by a socket. It has no token, and nothing more once serving ends.
func TestServedLogin(t *testing.T) {
	t.Parallel()
	for _, version := range sampled(bridgedReleases, "0.92.0", realcodex.Version) {
		t.Run(version, func(t *testing.T) {
			m := newBridgedLogin(t, version, time.Hour)
			m.sayFailure()
			dir, stop := m.serve()
			far := m.other(dir)
			far.model = m.model
			far.ok(far.contained(far.exec("from afar").as("ci")))
			m.wantTurn("from afar")
			for _, secret := range m.openAI.Secrets(1) {
				if testhome.HoldsText(secret, far.home) || testhome.HoldsText(secret, dir) {
					t.Error("a token is on the other side")
				}
			}
			if text := testhome.TextOf(filepath.Join(far.sandbox("ci"), "auth.json")); strings.Contains(text, "@example.com") || !strings.Contains(text, "account-1") {
				t.Errorf("the stand-in there is %s", text)
			}
			if state := m.ok(m.swop("bridge", "--json")); !strings.Contains(state.stdout, `"account": "work"`) && !strings.Contains(state.stdout, `"account":"work"`) {
				t.Errorf("bridge lists %s", state.stdout)
			}
			stop()
			r := far.run(far.exec("too late").as("ci"))
			if r.status != 125 || !strings.Contains(r.stderr, "no login is served") {
				t.Errorf("once serving has ended codex exits %d: %s", r.status, r.stderr)
			}
		})
	}
}
