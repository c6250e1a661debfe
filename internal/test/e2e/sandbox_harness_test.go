//go:build linux

package e2e

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/codexsandbox"
	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/testhome"
)

// sandboxReleases are one of each kind of command line that `codex sandbox` had, and of each way to confine on Linux.
var sandboxReleases = []string{"0.29.0", "0.92.0", "0.128.0", "0.155.0", realcodex.Version}

// A sandboxTrial is a user of one release with two accounts, and a place for each kind of write.
type sandboxTrial struct {
	trial
	outside, temp, tmpdir string // a directory that nothing may write, one below /tmp, and TMPDIR
	port                  int    // where something listens on loopback
}

// sandboxChecks are made one after the other in one home of each release. What no release does in its own way is checked with the one that
// gives the command a process group of its own, and with the newest.
var sandboxChecks = []struct {
	name  string
	every bool
	run   func(sandboxTrial)
}{
	{"effects", true, sandboxTrial.checkEffects},
	{"status", true, sandboxTrial.checkStatus},
	{"other platform", true, sandboxTrial.checkOtherPlatform},
	{"features", true, sandboxTrial.checkFeatures},
	{"verb", true, sandboxTrial.checkVerb},
	{"timeout", false, sandboxTrial.checkTimeout},
	{"without node", false, sandboxTrial.checkWithoutNode},
}

func TestSandbox(t *testing.T) {
	t.Parallel()
	for _, version := range sandboxReleases {
		t.Run(version, func(t *testing.T) {
			mayRepeat(t, version)
			st := newSandboxTrial(t, version)
			for _, c := range sandboxChecks {
				if c.every || *complete || version == "0.92.0" || version == sandboxReleases[len(sandboxReleases)-1] {
					t.Run(c.name, func(t *testing.T) {
						st := st
						st.trial = st.under(t)
						c.run(st)
					})
				}
			}
		})
	}
}

func newSandboxTrial(t *testing.T, version string) sandboxTrial {
	t.Helper()
	st := sandboxTrial{trial: newNPMTrial(t, release{version: version})}
	st.outside, st.tmpdir = filepath.Join(st.home, "outside"), filepath.Join(st.home, "tmpdir")
	for _, dir := range []string{st.outside, st.tmpdir} {
		testhome.NoError(t, os.Mkdir(dir, 0o700))
	}
	var err error
	st.temp, err = os.MkdirTemp("/tmp", "swop-e2e-")
	testhome.NoError(t, err)
	t.Cleanup(func() { testhome.NoError(t, os.RemoveAll(st.temp)) })
	st.env = append(st.env, "TMPDIR="+st.tmpdir)
	st.listen()
	for _, label := range []string{"work", "personal"} {
		st.ok(st.swop("add", label, "--no-login"))
	}
	return st
}

func (st *sandboxTrial) listen() {
	st.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testhome.NoError(st.t, err)
	st.t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	st.port = l.Addr().(*net.TCPAddr).Port
}

func (st sandboxTrial) client(acct string) *codexsandbox.Client {
	return &codexsandbox.Client{Account: acct, Env: st.env}
}

// call runs a request under the account work. That it ends is the timeout's business, if it has none.
func (st sandboxTrial) call(r codexsandbox.Request) codexsandbox.Run {
	st.t.Helper()
	if r.Timeout == 0 {
		r.Timeout = 2 * patience
	}
	r.WorkingDir = cmp.Or(r.WorkingDir, st.work)
	run, err := st.client("work").Run(st.t.Context(), r)
	if err != nil {
		st.t.Fatalf("%q: %v", r.Command, err)
	}
	if run.Release.String() != st.version {
		st.t.Errorf("the release is %v, want %s", run.Release, st.version)
	}
	return run
}

// bash is a request for a script.
func bash(script string, args ...string) codexsandbox.Request {
	return codexsandbox.Request{Command: append([]string{"bash", "-c", script, "bash"}, args...)}
}

// effects is a script that reports what it was allowed to do, of all that a sandbox can deny.
func (st sandboxTrial) effects() codexsandbox.Request {
	script := `try() { name=$1; shift; ("$@") 2>/dev/null && echo -n "$name "; }
		write() { echo x >"$1"; }
		connect() { exec 3<>/dev/tcp/127.0.0.1/$1; }
		try read test -r "$HOME/.profile"
		try inside write inside
		try outside write "$1/file"
		try codexhome write "$CODEX_HOME/file"
		try tmpdir write "$TMPDIR/file"
		try tmp write "$2/file"
		try connection connect $3
		echo`
	return bash(script, st.outside, st.temp, fmt.Sprint(st.port))
}

// wantEffects runs the script in the sandbox.
func (st sandboxTrial) wantEffects(change func(*codexsandbox.Request), want string) {
	st.t.Helper()
	r := st.effects()
	change(&r)
	run := st.call(r)
	if got := strings.TrimSpace(string(run.Stdout)); got != want || run.Status != 0 {
		st.t.Errorf("%q\n lets it %q, want %q; status %d, stderr %q", run.Args, got, want, run.Status, run.Stderr)
	}
	for _, dir := range []string{st.work, st.outside, st.tmpdir, st.temp} {
		testhome.NoError(st.t, ignoreMissing(os.Remove(filepath.Join(dir, "inside"))))
	}
}
