//go:build unix

package codexsandbox

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"swop/config"
	"swop/internal/account/store"
	"swop/internal/session"
	"swop/internal/session/launcher"
	"swop/shim"
)

// Client runs commands in codex's sandbox under one account. Its methods may be called from several goroutines, its fields not be
// changed meanwhile.
type Client struct {
	// Account is the account's label. "" is none: codex runs with the caller's own homes.
	Account string
	// Env is the caller's environment, as os.Environ returns it. The account's is derived from it as for a call of codex: if the caller
	// is in a session already, that session is left first.
	Env []string
	// Now is time.Now. It gives the time of the account's last use.
	Now func() time.Time

	// Dir is the working directory of requests that name none; "" is the process's own.
	Dir string
	// Stdout and Stderr are the mirrors of requests that name none; nil is none.
	Stdout, Stderr io.Writer
	// Log gets what swop says while it repairs the account's sandbox, such as that another version of a file was kept; nil discards it.
	Log io.Writer
	// Shim is the path of swop's own codex, so that it is not taken for the real one; "" is the one on PATH.
	Shim string
}

// Run runs the request and waits for its end. A status other than 0 is no error, nor is a command that was stopped: the Run says
// so. The errors are a [*RequestError], an [*UnsupportedError], one that wraps [shim.ErrNoCodex] or [account.ErrNoAccount], a codex whose
// release is unknown or that cannot be started, and a mirror that failed; except in the last case nothing was run.
//
// The command runs in a new session, without a controlling terminal. When it ends, or is stopped, the processes that it leaves there
// are killed, as newer releases of codex do themselves, or two seconds later if they hold its output open.
func (c *Client) Run(ctx context.Context, r Request) (Run, error) {
	call, err := c.Prepare(ctx, r)
	if err != nil {
		return Run{}, err
	}
	defer call.Close()
	return call.capture(ctx, [2]io.Writer{c.Stdout, c.Stderr})
}

// Prepare returns the call that Run would make. It repairs the account's sandbox and holds the account, as a session does, until the Call
// is closed. The errors are those of Run.
func (c *Client) Prepare(ctx context.Context, r Request) (*Call, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	dir, err := c.dir(r)
	if err != nil {
		return nil, err
	}
	call := &Call{request: r, Dir: dir}
	real, err := c.enter(call)
	if err == nil { // the native program answers at once, npm's launcher starts Node first
		call.Release, err = releaseOf(ctx, cmp.Or(real.Native(real.places, call.Env, real.settings), real.Path), call.Env)
	}
	if err == nil {
		call.Args, err = r.args(call.Release, host())
	}
	if err == nil {
		call.Path, _, call.Env = real.Launch(real.places, call.Args, call.Env, real.settings)
	}
	if err != nil {
		return nil, errors.Join(err, call.Close())
	}
	return call, nil
}

// realCodex is the real codex, and what decides how it is started.
type realCodex struct {
	shim.Program
	places   config.Places
	settings config.Settings
}

// enter fills in the environment of the call, and holds the account if there is one. It returns the real codex.
func (c *Client) enter(call *Call) (real realCodex, err error) {
	s, err := session.Look(c.Env)
	if err != nil {
		return real, err
	}
	real.places = s.Places
	if real.settings, err = config.ReadSettings(s.Places); err != nil {
		return real, err
	}
	if real.Program, err = s.FindCodex(real.settings, c.shim(s.Env)); err != nil {
		return real, err
	}
	launcher.Learn(real.Program, s.Places, s.Env, real.settings)
	call.Env = s.Env
	if c.Account != "" {
		err = c.hold(call, s, real.settings)
	}
	call.ownEnv()
	return real, err
}

// hold holds the account, which must exist, and sets its environment.
func (c *Client) hold(call *Call, s shim.Invocation, settings config.Settings) error {
	st, err := store.Open(s.Places)
	if err != nil {
		return err
	}
	if _, err := st.Find(c.Account); err != nil {
		return err
	}
	s.Found = true
	o := session.PrepareOptions{Stderr: cmp.Or(c.Log, io.Discard), Now: c.Now(), Hold: true}
	o.Checks = session.Checks(st.Layout, o.Say)
	ready, err := session.Prepare(s, c.Account, settings, o)
	if err != nil {
		return err
	}
	defer ready.Lock.Release() // the Call has its own descriptor
	call.Env = s.Environment(ready)
	call.lock, err = ready.Lock.File()
	return err
}

// dir returns the working directory, "" for the process's own.
func (c *Client) dir(r Request) (string, error) {
	dir := cmp.Or(r.WorkingDir, c.Dir)
	if dir == "" {
		return "", nil
	}
	if hasNUL(dir) {
		return "", refuse("the working directory %q has a NUL byte", dir)
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return "", refuse("the working directory %q cannot be used: %v", dir, errors.Unwrap(err))
	case !info.IsDir():
		return "", refuse("the working directory %q is not a directory", dir)
	}
	return filepath.Abs(dir)
}

// shim returns the path of swop's own codex: the first codex on PATH that, its links followed, has a codex-swop beside it; "" if none has.
func (c *Client) shim(env config.Env) string {
	if c.Shim != "" {
		return c.Shim
	}
	for _, dir := range filepath.SplitList(env.Value("PATH")) {
		file, err := filepath.EvalSymlinks(filepath.Join(dir, "codex"))
		if err != nil || !filepath.IsAbs(dir) {
			continue
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(file), "codex-swop")); err == nil {
			return file
		}
	}
	return ""
}
