//go:build unix

package codexsandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/store"
	"swop/internal/test/testhome"
)

// A world is a home with two accounts, and a fake codex on PATH: a script that prints its release, or records its arguments and runs
// what follows "--" without a sandbox.
type world struct {
	t     *testing.T
	home  string
	fakes string // the directory of the fake
	asked string // a file with a line for each time that the fake was asked for its release
	args  string // a file with the arguments of the fake's last call, a line each
	store store.Store
}

const fakeCodex = `#!/bin/sh
if [ "$1" = --version ]; then
	echo asked >>'%[1]s'
	echo codex-cli %[3]s
	exit
fi
printf '%%s\n' "$@" >'%[2]s'
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
`

func newWorld(t *testing.T) world {
	t.Helper()
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	testhome.NoError(t, err)
	w := world{
		t: t, home: filepath.Join(base, "home"), fakes: filepath.Join(base, "fakes"), asked: filepath.Join(base, "asked"),
		args: filepath.Join(base, "args"),
	}
	for _, dir := range []string{w.home, filepath.Join(w.home, ".codex"), w.fakes} {
		testhome.NoError(t, os.Mkdir(dir, 0o700))
	}
	w.store = store.Store{Layout: account.Layout{Places: config.Places{
		Home: w.home, Root: filepath.Join(w.home, ".swop"),
		Config: filepath.Join(w.home, ".config", "swop"),
	}}}
	for _, label := range []string{"Work", "Play"} {
		made := store.New{Label: label, State: account.StateShared, SharedHome: filepath.Join(w.home, ".codex"), Now: time.Unix(1, 0)}
		_, err := w.store.Create(made)
		testhome.NoError(t, err)
	}
	w.write(filepath.Join(w.fakes, "codex"), fmt.Sprintf(fakeCodex, w.asked, w.args, "0.169.0"))
	return w
}

// write writes a program while no other goroutine forks: the child would have it open for writing, and exec fail with ETXTBSY.
func (w world) write(file, text string) {
	w.t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	testhome.NoError(w.t, os.WriteFile(file, []byte(text), 0o700))
}

func (w world) env() config.Env {
	return config.Env{"HOME=" + w.home, "PATH=" + w.fakes + ":/usr/bin:/bin", "OUTER=1"}
}

func (w world) client(acct string) *Client {
	return &Client{Account: acct, Env: w.env(), Now: time.Now}
}

func (w world) codexHome(key string) string {
	return filepath.Join(w.home, ".swop", "accounts", key, "home", ".codex")
}

// run runs the request as the account Work. It fails the test on an error.
func (w world) run(r Request) Run {
	w.t.Helper()
	run, err := w.client("Work").Run(w.t.Context(), r)
	if err != nil {
		w.t.Fatalf("Run(%q): %v", r.Command, err)
	}
	return run
}

// lines returns the lines of a file.
func (w world) lines(file string) []string {
	w.t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// sh is a request for a shell script.
func sh(script string, args ...string) Request {
	return Request{Command: append([]string{"sh", "-c", script, "sh"}, args...)}
}
