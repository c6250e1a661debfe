//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"swop/config"
	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/testhome"
)

// userSystemd starts a systemd for this test alone, with a bus of its own, in a control group that the caller's systemd gives it, and
// returns the variables by which it is found. No job can reach the caller's queue of at, which swop asks where systemd fails.
func (u *user) userSystemd() []string {
	u.t.Helper()
	testhome.Needs(u.t, "systemd-run", "dbus-daemon")
	run, err := os.MkdirTemp("", "run-") // short: sockets are made in it
	testhome.NoError(u.t, err)
	u.t.Cleanup(func() { os.RemoveAll(run) })
	u.write("no-at/at", "#!/bin/sh\nexit 1\n")
	bus := "DBUS_SESSION_BUS_ADDRESS=unix:path=" + filepath.Join(run, "bus")
	vars := []string{"XDG_RUNTIME_DIR=" + run, bus, "PATH=" + filepath.Join(u.home, "no-at") + ":" + config.Env(u.env).Value("PATH")}
	daemon := exec.Command("dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=unix:path="+filepath.Join(run, "bus"))
	manager := exec.Command("systemd-run", append([]string{"--user", "--scope", "--quiet", "--property=Delegate=yes", "--", "env", "HOME=" + u.home},
		append(vars, "/usr/lib/systemd/systemd", "--user")...)...)
	for _, c := range []*exec.Cmd{daemon, manager} {
		testhome.NoError(u.t, c.Start())
		u.t.Cleanup(func() {
			_ = c.Process.Signal(os.Interrupt)
			_ = c.Wait()
		})
		if c == daemon {
			eventually(u.t, "the bus", func() bool { _, err := os.Stat(filepath.Join(run, "bus")); return err == nil })
		}
	}
	eventually(u.t, "the user's systemd", func() bool {
		return u.run(u.command("systemctl", "--user", "list-timers").with(vars...)).status == 0
	})
	return vars
}

// exec --detach lets the user's systemd go on with the session; what it prints cancels that.
func TestExecDetach(t *testing.T) {
	m := newTrial(t, release{version: realcodex.Version}).members()
	vars := m.userSystemd()
	timers := func() string {
		return m.ok(m.command("systemctl", "--user", "list-timers", "--all", "--no-pager").with(vars...)).stdout
	}
	detach := func(resets time.Time, prompt string) (cancel string) {
		m.spend(1, 0, resets)
		r := m.run(m.swopExec("--at-limit wait --detach", prompt).with(vars...))
		hint := regexp.MustCompile(`(?m)^swop: hint: to cancel it: (systemctl .*)$`).FindStringSubmatch(r.stderr)
		if r.status != 0 || hint == nil {
			t.Fatalf("exec --detach exits %d: %q", r.status, r.stderr)
		}
		if !strings.Contains(timers(), "swop-exec-") {
			t.Errorf("systemd has no timer: %s", timers())
		}
		return hint[1]
	}
	m.restore(2)
	detach(time.Now().Add(10*time.Second), "<detached>")
	m.restore(1)
	eventually(t, "the second turn", func() bool { return len(m.model.Turns()) > 1 })
	m.wantTurns(0, []int{1, 1}, "<detached>")
	m.noSession()

	m.ok(m.command("sh", "-c", detach(time.Now().Add(time.Hour), "<cancelled>")).with(vars...))
	if strings.Contains(timers(), "swop-exec-") {
		t.Errorf("the timer is still there: %s", timers())
	}
}
