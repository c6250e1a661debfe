//go:build unix

package codexsandbox

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"swop/config"
	"swop/config/file"
	"swop/manager/account"
	"swop/manager/process"
	"swop/manager/store"
	"swop/shim"
)

// Run runs the request and waits for its end. A status other than 0 is no error, nor is a command that was stopped: the Run says
// so. The errors are a [*RequestError], an [*UnsupportedError], one that wraps [shim.ErrNoCodex] or [manager.ErrNoAccount], a release
// that cannot be told, a codex that cannot be started, and a mirror that failed; but for the last nothing was run.
//
// The command has a session of its own, without a controlling terminal. When it ends, or is stopped, what it left behind there is
// killed, as newer releases of codex do by themselves; only a process that made itself a session of its own and lost its parent
// survives, in releases that confine by Landlock.
func (c *Client) Run(ctx context.Context, r Request) (Run, error) {
	call, err := c.Prepare(ctx, r)
	if err != nil {
		return Run{}, err
	}
	defer call.Close()
	return call.capture(ctx, c.mirrors())
}

// Prepare makes the account's sandbox whole, finds what Run would run, and holds the account, as a session does, until the Call is
// closed. The errors are those of Run.
func (c *Client) Prepare(ctx context.Context, r Request) (*Call, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	dir, err := c.dir(r)
	if err != nil {
		return nil, err
	}
	host, err := platformOf(runtime.GOOS)
	if err != nil {
		return nil, err
	}
	call := &Call{request: r, Dir: dir}
	if err := c.enter(call); err != nil {
		return nil, errors.Join(err, call.Close())
	}
	call.Release, err = c.known.of(ctx, call.Path, call.Env)
	if err == nil {
		call.Args, err = r.args(call.Release, host)
	}
	if err != nil {
		return nil, errors.Join(err, call.Close())
	}
	return call, nil
}

// enter finds the real codex and makes the environment of the call.
func (c *Client) enter(call *Call) error {
	s, err := shim.Look(c.Env)
	if err != nil {
		return err
	}
	settings, err := file.ReadSettings(s.Places)
	if err != nil {
		return err
	}
	program, err := s.FindCodex(settings, c.shim(s.Env))
	if err != nil {
		return err
	}
	call.Path, call.Env = program.Path, s.Env
	if c.Account != "" {
		if err := c.hold(call, s, settings); err != nil {
			return err
		}
	}
	call.ownEnv()
	return nil
}

// hold enters the account, which has to exist.
func (c *Client) hold(call *Call, s shim.Invocation, settings config.Settings) error {
	st, err := store.Open(s.Places)
	if err != nil {
		return err
	}
	if _, err := st.Find(c.Account); err != nil {
		return err
	}
	s.Found = true
	silent := func(a account.Account) (bool, error) {
		return process.NoProcesses(a.CodexHome(), st.LockFile(a.Key), 0)
	}
	ready, lock, err := s.Hold(c.Account, settings, shim.PrepareOptions{NoProcesses: silent, Stderr: c.log(), Now: c.Now()})
	if err != nil {
		return err
	}
	defer lock.Release() // the Call has its own descriptor
	call.Env = s.Environment(ready)
	call.lock, err = lock.File()
	return err
}

// dir returns the working directory, "" for the process's own.
func (c *Client) dir(r Request) (string, error) {
	dir := r.WorkingDir
	if dir == "" {
		dir = c.Dir
	}
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

// shim returns the path of swop's own codex, "" if there is none: the first on PATH that has a codex-swop beside it, where its links
// lead.
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

func (c *Client) log() io.Writer {
	if c.Log == nil {
		return io.Discard
	}
	return c.Log
}

func (c *Client) mirrors() [2]io.Writer { return [2]io.Writer{c.Stdout, c.Stderr} }
