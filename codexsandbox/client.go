//go:build unix

package codexsandbox

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"swop/config"
	"swop/internal/account/process"
	"swop/internal/account/store"
	"swop/internal/say"
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

	// Stdout and Stderr get the output as it comes, besides its being captured; nil is nobody. They may be written to at the same time.
	// Where one fails, Run returns its error.
	Stdout, Stderr io.Writer
	// Log gets what swop says while it repairs the account's sandbox, such as that another version of a file was kept; nil discards it.
	Log io.Writer
	// Shim is the path of swop's own codex, so that it is not taken for the real one; "" is the one on PATH.
	Shim string
}

// Run runs the request and waits for its end. A status other than 0 is no error, nor is a timeout. If ctx is cancelled the error is its
// own, beside what was captured. The other errors are a [*RequestError], one that wraps [shim.ErrNoCodex] or [account.ErrNoAccount],
// something that this release of codex cannot do, a codex that cannot be started, and a Stdout or Stderr that failed; except in the last
// case nothing was run.
//
// The command runs in a session of its own, without a controlling terminal. To stop it, its process group is killed.
func (c *Client) Run(ctx context.Context, r Request) (Run, error) {
	call, err := c.Prepare(ctx, r)
	if err != nil {
		return Run{}, err
	}
	defer call.Close()
	if r.Quiet {
		return call.run(ctx, nil, nil)
	}
	return call.run(ctx, c.Stdout, c.Stderr)
}

// Prepare returns the call that Run would make. It repairs the account's sandbox and holds the account, as a session does, until the Call
// is closed. The errors are those of Run.
func (c *Client) Prepare(ctx context.Context, r Request) (*Call, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	s, err := session.Look(c.Env)
	if err != nil {
		return nil, err
	}
	settings, err := config.ReadSettings(s.Places)
	if err != nil {
		return nil, err
	}
	real, err := s.FindCodex(settings, c.shim(s.Env))
	if err != nil {
		return nil, err
	}
	launcher.Learn(real, s.Places, s.Env, settings)
	call := &Call{Env: s.Env, request: r}
	// the native program answers at once, npm's launcher starts Node first
	if call.Release, err = releaseOf(ctx, cmp.Or(real.Native(s.Places, s.Env, settings), real.Path), s.Env); err != nil {
		return nil, err
	}
	if call.Args, err = r.args(call.Release, host()); err != nil {
		return nil, err
	}
	if c.Account != "" {
		if err := c.hold(call, s, settings); err != nil {
			return nil, err
		}
	}
	call.Path, _, call.Env = real.Launch(s.Places, call.Args, call.Env, settings)
	return call, nil
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
	ready, err := session.Prepare(s, c.Account, settings, o)
	if err != nil {
		return err
	}
	defer ready.Lock.Release() // the Call has its own descriptor
	call.Env = s.Environment(ready)
	call.lock, err = ready.Lock.File()
	return err
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

// probeTime bounds `codex --version`, which answers at once (docs/codex-home.md) unless the machine is very busy.
const probeTime = 30 * time.Second

// releaseOf returns the release of the codex at path, which it asks, with the environment env.
func releaseOf(ctx context.Context, path string, env config.Env) (r Release, err error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	text, err := process.Ask(ctx, exec.Cmd{Path: path, Args: []string{"codex", "--version"}, Env: env}, 4096) // a version is short
	if err == nil {
		r, err = ParseRelease(text)
	}
	if err != nil {
		err = say.WithHint(fmt.Errorf("the release of %s is unknown: %w", path, err), say.ShellQuote(path)+" --version")
	}
	return r, err
}
