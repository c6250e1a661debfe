//go:build unix

package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"

	"swop/internal/account/process"
	"swop/internal/disk"
)

const (
	// commandTime is how long the command of a secret may run. It has no terminal: one that asks gets no answer.
	commandTime = 30 * time.Second
	// beforeExpiry is how long before its expiry a secret is replaced.
	beforeExpiry = time.Minute
	// pause is the least time between two runs of the command, except for the first refused secret. A clock that is off, or a service that
	// refuses everything, does not run it for each request.
	pause = 10 * time.Second
	// maxPrinted bounds what a command prints, in bytes: an ExecCredential may have certificates beside the token.
	maxPrinted = 64 << 10
)

// printed is the secret that a command printed last.
type printed struct {
	now    func() time.Time
	mu     sync.Mutex // held while the command runs: one at a time
	ran    time.Time  // when it ended, zero if it never ran
	until  time.Time  // when it runs again, zero for never
	text   string
	failed error

	refused string // the secret after whose refusal it ran again
}

// token returns the secret, and runs the command where there is none, where it expires within a minute, and once after the service refused
// it.
func (p *printed) token(refused string, run func() (string, time.Time, error)) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	since := p.now().Sub(p.ran)
	first := refused != "" && refused == p.text && refused != p.refused
	again := refused != "" && refused == p.text && since >= pause
	expired := !p.until.IsZero() && since >= pause && !p.now().Before(p.until)
	if !p.ran.IsZero() && !first && !again && !expired {
		return p.text, p.failed
	}
	var expiry time.Time
	p.text, expiry, p.failed = run()
	p.ran, p.refused, p.until = p.now(), refused, time.Time{}
	switch {
	case p.failed != nil:
		p.until = p.ran // after the pause
	case !expiry.IsZero():
		p.until = expiry.Add(-beforeExpiry)
	}
	return p.text, p.failed
}

// run runs the command of the secret, and returns what it printed with its expiry. What it writes to its standard error goes nowhere: it
// may be the secret.
func (s *source) run(ctx context.Context) (token string, expiry time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	var out string
	program, err := disk.OnPath(s.from.Command[0], s.env.Value("PATH"))
	if err == nil {
		out, err = process.Ask(ctx, exec.Cmd{Path: program, Args: s.from.Command, Env: s.env, Dir: s.home}, maxPrinted+1)
	}
	name := fmt.Sprintf("the command of the token, %q,", s.from.Command[0])
	switch {
	case ctx.Err() != nil:
		return "", expiry, fmt.Errorf("%s did not end within %v", name, commandTime)
	case err != nil:
		return "", expiry, fmt.Errorf("%s failed: %w", name, err)
	}
	what := "what " + name + " printed"
	text := strings.TrimSuffix(out, "\n")
	if strings.HasPrefix(text, "{") {
		if text, expiry, err = execCredential(what, text); err != nil {
			return "", expiry, err
		}
	}
	token, err = checkToken(what, text)
	return token, expiry, err
}

// execCredential reads the token of a Kubernetes ExecCredential, and when it expires: the zero time where it does not say.
func execCredential(what, text string) (token string, expiry time.Time, err error) {
	var c struct {
		Kind   string
		Status struct {
			Token               string
			ExpirationTimestamp *time.Time
		}
	}
	switch err := json.Unmarshal([]byte(text), &c); {
	case err != nil: // which may quote the text
		return "", expiry, fmt.Errorf("%s begins with { and is not a Kubernetes ExecCredential", what)
	case c.Kind != "ExecCredential" || c.Status.Token == "":
		return "", expiry, fmt.Errorf("%s begins with { and is not a Kubernetes ExecCredential with a status.token", what)
	case c.Status.ExpirationTimestamp != nil:
		expiry = *c.Status.ExpirationTimestamp
	}
	return c.Status.Token, expiry, nil
}
