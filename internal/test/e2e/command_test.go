//go:build linux

package e2e

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"swop/internal/test/testhome"
)

// A command is what the user types, not started yet.
type command struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer

	limit time.Duration      // of the wait for its end
	kill  context.CancelFunc // which is done then
}

// A result is what a finished command left.
type result struct {
	stdout, stderr string
	status         int // -1 if a signal ended it
}

// codex is `codex args…` as the user types it: the shim, or the real one where the user has no other.
func (u *user) codex(args ...string) *command {
	return u.command(filepath.Join(cmp.Or(u.programs.swop, u.programs.real), "codex"), args...)
}

// direct is the real codex, with no shim before it.
func (u *user) direct(args ...string) *command {
	return u.command(filepath.Join(u.programs.real, "codex"), args...)
}

// exec is a session without a terminal: `codex exec` with a prompt.
func (u *user) exec(prompt string, flags ...string) *command {
	return u.codex(execArgs(prompt, flags...)...)
}

func execArgs(prompt string, flags ...string) []string {
	return append(append([]string{"exec", "--skip-git-repo-check"}, flags...), prompt)
}

// command returns a command that is killed when the wait for its end outlasts the tests' patience: a codex whose server is gone retries
// without end.
func (u *user) command(name string, args ...string) *command {
	return u.commandWithin(patience, name, args...)
}

func (u *user) commandWithin(limit time.Duration, name string, args ...string) *command {
	ctx, kill := context.WithCancel(context.Background())
	u.t.Cleanup(kill)
	c := &command{Cmd: exec.CommandContext(ctx, name, args...), limit: limit, kill: kill}
	c.Args[0] = filepath.Base(name)
	c.Dir, c.Env = u.work, u.env
	c.Stdout, c.Stderr = &c.stdout, &c.stderr
	c.WaitDelay = patience // a descendant may keep the pipes open
	return c
}

func (c *command) String() string { return fmt.Sprintf("%.200q", c.Args) }

// as makes c run under the account.
func (c *command) as(acct string) *command { return c.with("SWOP_ACCOUNT=" + acct) }

// with adds variables to c's environment.
func (c *command) with(vars ...string) *command {
	c.Env = append(c.Env[:len(c.Env):len(c.Env)], vars...)
	return c
}

// fed gives c a standard input.
func (c *command) fed(stdin string) *command {
	c.Stdin = strings.NewReader(stdin)
	return c
}

// start starts c; finish waits for it.
func (u *user) start(c *command) *command {
	u.t.Helper()
	testhome.NoError(u.t, c.Start())
	return c
}

func (u *user) finish(c *command) result {
	u.t.Helper()
	late := time.AfterFunc(c.limit, c.kill)
	err := c.Wait()
	if !late.Stop() {
		fmt.Fprintf(&c.stderr, "\n(killed by the test, which has waited %v for its end)", c.limit)
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		u.t.Fatalf("%s: %v", c, err)
	}
	return result{c.stdout.String(), c.stderr.String(), c.ProcessState.ExitCode()}
}

// run starts c and waits for it.
func (u *user) run(c *command) result {
	u.t.Helper()
	return u.finish(u.start(c))
}

// ok runs c, which must succeed.
func (u *user) ok(c *command) result {
	u.t.Helper()
	return u.want(0, c)
}

// want runs c, which must exit with status.
func (u *user) want(status int, c *command) result {
	u.t.Helper()
	r := u.run(c)
	if r.status != status {
		u.t.Fatalf("%s exits %d, want %d; stdout %q, stderr %q", c, r.status, status, r.stdout, r.stderr)
	}
	return r
}

func wantText(t *testing.T, what, got string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(got, want) {
			t.Errorf("%s has no %q:\n%s", what, want, got)
		}
	}
}
