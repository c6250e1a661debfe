//go:build unix

package codexsandbox

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/store"
	"swop/internal/test/testbuild"
	"swop/internal/test/testhome"
)

// A world is a home with the account Work, and a fake codex on PATH: a script that prints its release, or runs what follows "--" without a
// sandbox.
type world struct {
	home, fakes string
	store       store.Store
	client      *Client
}

const fakeCodex = `#!/bin/sh
[ "$1" != --version ] || exec echo codex-cli 0.169.0
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
`

func newWorld(t *testing.T) world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	testhome.NoError(t, err)
	w := world{home: filepath.Join(base, "home"), fakes: filepath.Join(base, "fakes")}
	testhome.NoError(t, errors.Join(os.MkdirAll(filepath.Join(w.home, ".codex"), 0o700), os.Mkdir(w.fakes, 0o700)))
	w.store = store.Store{Layout: account.Layout{Places: config.Places{
		Home: w.home, Root: filepath.Join(w.home, ".swop"), Config: filepath.Join(w.home, ".config", "swop"),
	}}}
	made := store.New{Label: "Work", State: account.StateShared, SharedHome: filepath.Join(w.home, ".codex"), Now: time.Unix(1, 0)}
	_, err = w.store.Create(made)
	testhome.NoError(t, err)
	testhome.NoError(t, os.WriteFile(filepath.Join(w.fakes, "codex"), []byte(fakeCodex), 0o700))
	w.client = &Client{Account: "Work", Shim: swop(t), Env: config.Env{"HOME=" + w.home, "PATH=" + w.fakes + ":/usr/bin:/bin", "OUTER=1"}}
	return w
}

// swop returns swop's own codex, which is built once.
func swop(t *testing.T) string {
	t.Helper()
	if programs == "" {
		dir, err := os.MkdirTemp(testhome.ProgramScratch(), "swop-sandbox-")
		testhome.NoError(t, err)
		testhome.NoError(t, testbuild.Programs(dir))
		programs = dir
	}
	return filepath.Join(programs, "codex")
}

var programs string

// TestMain removes the programs that the tests made.
func TestMain(m *testing.M) {
	status := testhome.Suite{Tests: m, Programs: []string{"userns"}}.Run()
	_ = os.RemoveAll(programs)
	os.Exit(status)
}

// The zero Client has the environment of the process, and no account.
func TestZeroClient(t *testing.T) {
	w := newWorld(t)
	t.Setenv("HOME", w.home)
	t.Setenv("PATH", w.fakes+":/usr/bin:/bin")
	if run, err := new(Client).Run(t.Context(), sh("echo $SWOP_ACCOUNT.")); err != nil || string(run.Stdout) != ".\n" {
		t.Errorf("Run = %q, %v", run.Stdout, err)
	}
	if _, err := new(Client).Run(t.Context(), Request{}); err == nil {
		t.Error("Run without a command succeeds")
	}
}

// sh is a request for a shell script.
func sh(script string, args ...string) Request {
	return Request{Command: append([]string{"sh", "-c", script, "sh"}, args...), Timeout: time.Minute}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// The shim is skipped for the real codex, also if PATH has a link to it, and runs what an account runs.
func TestRunSkipsTheShim(t *testing.T) {
	w := newWorld(t)
	dir, links := t.TempDir(), t.TempDir()
	for _, name := range []string{"codex", "codex-swop"} {
		testhome.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nexit 99\n"), 0o700))
	}
	testhome.NoError(t, os.Symlink(filepath.Join(dir, "codex"), filepath.Join(links, "codex")))
	env := config.Env(w.client.Env)
	w.client.Env = env.With("PATH", links+":"+dir+":"+env.Value("PATH"))
	w.client.Shim = ""
	for name, want := range map[string]int{"": 7, "Work": 99} {
		w.client.Account = name
		if run, err := w.client.Run(t.Context(), sh("exit 7")); err != nil || run.Status != want {
			t.Errorf("with the shim first on PATH, as %q: %+v, %v", name, run, err)
		}
	}
	w.client.Account, w.client.Env = "Work", env
	if _, err := w.client.Run(t.Context(), sh("true")); !errors.Is(err, ErrNoSwop) {
		t.Errorf("without swop: %v", err)
	}
	w.client.Shim = filepath.Join(w.fakes, "codex")
	if _, err := w.client.Run(t.Context(), sh("true")); !errors.Is(err, ErrNoCodex) {
		t.Errorf("with the only codex as the shim: %v", err)
	}
}

// The command of a confined account is confined. The client's directory is that of a request that names none.
func TestConfinedClient(t *testing.T) {
	testhome.Needs(t, "userns")
	w := newWorld(t)
	made := store.New{Label: "closed", State: account.StatePrivate, Confine: config.ConfineReadOnly, SharedHome: w.home + "/.codex"}
	_, err := w.store.Create(made)
	testhome.NoError(t, err)
	named := sh("pwd; test ! -d /run/swop || echo confined")
	named.WorkingDir = "/usr"
	w.client.Account, w.client.WorkingDir, w.client.Env = "closed", w.fakes, append(w.client.Env, "SWOP_ALLOW_ROOT=1")
	for want, r := range map[string]Request{w.fakes + "\nconfined\n": sh(named.Command[2]), "/usr\nconfined\n": named} {
		if run, err := w.client.Run(t.Context(), r); err != nil || string(run.Stdout) != want {
			t.Errorf("Run = %q, %q, %v; want %q", run.Stdout, run.Stderr, err, want)
		}
	}
	if call, err := w.client.Prepare(t.Context(), named); err != nil || config.Env(call.Env).Value("SWOP_ACCOUNT") != "closed" {
		t.Errorf("Env = %q, %v", call.Env, err)
	}
	w.client.Account = "nobody"
	if _, err := w.client.Run(t.Context(), named); !errors.Is(err, ErrNoAccount) {
		t.Errorf("of no account: %v", err)
	}
}

// A mirror has what was written while the command still runs.
func TestMirroredAsItComes(t *testing.T) {
	w := newWorld(t)
	stdin, feed, err := os.Pipe()
	testhome.NoError(t, err)
	defer stdin.Close()
	defer feed.Close()
	var mirror bytes.Buffer
	w.client.Stdout = writerFunc(func(p []byte) (int, error) {
		if mirror.Len() == 0 {
			if _, err := io.WriteString(feed, "second\n"); err != nil {
				return 0, err
			}
		}
		return mirror.Write(p)
	})
	r := sh("echo first; read line; echo $line")
	r.Stdin, r.Timeout = stdin, 20*time.Second
	run, err := w.client.Run(t.Context(), r)
	if want := "first\nsecond\n"; err != nil || string(run.Stdout) != want || mirror.String() != want {
		t.Errorf("%q, mirrored %q, %v", run.Stdout, mirror.String(), err)
	}
}

func TestMirrorThatFails(t *testing.T) {
	w := newWorld(t)
	full := errors.New("full")
	w.client.Stdout = writerFunc(func([]byte) (int, error) { return 0, full })
	if run, err := w.client.Run(t.Context(), sh("echo a")); !errors.Is(err, full) || string(run.Stdout) != "a\n" {
		t.Errorf("%q, %v", run.Stdout, err)
	}
}

// tree prints the pid of a child, which is of the same process group, and waits for it.
const tree = "sleep 60 & echo $!; wait"

// wantGone waits for the end of the child.
func wantGone(t *testing.T, out []byte) {
	t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	testhome.NoError(t, err)
	testhome.WantEnded(t, pid)
}

// The account is held while the command runs, and a cancelled one leaves nothing of its process group.
func TestCancel(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	w.client.Stdout = writerFunc(func(p []byte) (int, error) {
		if l, err := w.store.LockExclusive("work"); !errors.Is(err, account.ErrInUse) {
			l.Release()
			t.Errorf("while it runs the lock can be had: %v", err)
		}
		cancel()
		return len(p), nil
	})
	run, err := w.client.Run(ctx, sh(tree))
	if !errors.Is(err, context.Canceled) || run.TimedOut || run.Status != 137 {
		t.Errorf("%+v, %v", run, err)
	}
	wantGone(t, run.Stdout)
	l, err := w.store.LockExclusive("work")
	testhome.NoError(t, err)
	l.Release()
}
