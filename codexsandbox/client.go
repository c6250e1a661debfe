//go:build unix

package codexsandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"swop/config"
	"swop/install"
	"swop/internal/account"
	"swop/internal/account/store"
	"swop/internal/say"
	"swop/internal/session"
	"swop/shim"
)

// Client runs commands in codex's sandbox under one account. Its methods may be called from several goroutines, its fields not be
// changed meanwhile.
type Client struct {
	// Account is the account's label. "" is none: codex runs with the caller's own homes.
	Account string
	// Env is the caller's environment, in the form of os.Environ; nil stands for that. The account's environment is derived from it as for a
	// call of codex: if the caller is in a session already, that session is left first.
	Env []string

	// WorkingDir is the directory of requests that name none; "" is the process's own.
	WorkingDir string
	// Stdout and Stderr get the output as it comes, in addition to [Run]; nil is nobody. Both may be written to at the same time. If one
	// fails, Run returns its error.
	Stdout, Stderr io.Writer
	// Shim is the path of swop's own codex, which runs the commands of an account; "" is the one on PATH or in the usual place.
	Shim string
}

// The errors about an account, and about the installed programs.
var (
	ErrNoAccount = account.ErrNoAccount
	ErrNoCodex   = shim.ErrNoCodex // the real one
	ErrNoSwop    = errors.New("swop's own codex was not found")
)

// Run runs the request and waits for its end. A status other than 0 is no error, nor is a timeout. If ctx is cancelled, the error is that
// of ctx, with the output so far. The other errors are a [*RequestError], [ErrNoCodex], [ErrNoAccount], [ErrNoSwop], a feature that this
// release of codex lacks, and the error of Stdout or Stderr; except in the last case nothing was run. Messages of swop itself, as of an
// account that cannot be confined here, are on Stderr, with the status 125.
//
// The command runs in a session of its own, without a controlling terminal. To stop it, its process group is killed.
func (c *Client) Run(ctx context.Context, r Request) (Run, error) {
	call, err := c.Prepare(ctx, r)
	if err != nil {
		return Run{}, err
	}
	return call.run(ctx, c.Stdout, c.Stderr)
}

// Prepare returns the call that Run would make. The errors are those of Run.
func (c *Client) Prepare(ctx context.Context, r Request) (*Call, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	r.WorkingDir = cmp.Or(r.WorkingDir, c.WorkingDir)
	env := config.Env(c.Env)
	if env == nil {
		env = os.Environ()
	}
	i, err := session.Look(env)
	if err != nil {
		return nil, err
	}
	if i.SetDir([]string{"", "-C", r.WorkingDir}); i.Dir != "" { // as named: a link on the way may be laid by a session
		r.WorkingDir, env = i.Dir, env.With("PWD", i.Dir)
		if confined, _ := i.Confined(c.Account); confined { // which may take the link away; see [shim.Invocation.Shown]
			env = env.With("PWD", i.Dir+"/.")
		}
	}
	settings, err := config.ReadSettings(i.Places)
	if err != nil {
		return nil, err
	}
	own := cmp.Or(c.Shim, append(install.Others(i.Home, i.Env, ""), "")[0])
	real, err := i.Find(&settings, own, shim.FileID{})
	if err != nil {
		return nil, err
	}
	call := &Call{request: r}
	if call.Release, err = releaseOf(ctx, session.Asking(i, real, settings, "--version"), real.Path); err != nil {
		return nil, err
	}
	if call.Args, err = r.args(call.Release, host()); err != nil {
		return nil, err
	}
	switch {
	case c.Account == "":
		call.errand = session.Outside(i, real, settings, call.Args[1:]...)
	case own == "":
		return nil, ErrNoSwop
	default:
		var st store.Store
		if st, err = store.Open(i.Places); err == nil {
			_, err = st.Find(c.Account)
		}
		call.errand = session.Call(own, session.As(c.Account, env), call.Args[1:]...)
	}
	call.Env = call.errand.Command(ctx).Env
	return call, err
}

// releaseOf returns the release of the codex at path, by the output of asked, its --version.
func releaseOf(ctx context.Context, asked session.Errand, path string) (r Release, err error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second) // codex answers at once, unless the machine is very busy
	defer cancel()
	text, err := asked.Output(ctx, 4096) // a version is short
	if err == nil {
		r, err = ParseRelease(text)
	}
	if err != nil {
		err = say.WithHint(fmt.Errorf("the release of %s is unknown: %w", path, err), say.ShellQuote(path)+" --version")
	}
	return r, err
}
