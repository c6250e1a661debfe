//go:build unix

package bridge

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"swop/internal/account"
	"swop/internal/account/process"
)

const (
	// commandTime is how long the command of a secret may run. It has no terminal: one that asks gets no answer.
	commandTime = 30 * time.Second
	// pause is the least time between two runs of the command, except after the first refusal of a secret: a service that refuses everything
	// must not run the command for each request.
	pause = 10 * time.Second
)

// printed is the secret that a command printed last.
type printed struct {
	now    func() time.Time
	mu     sync.Mutex // held while the command runs: one at a time
	ran    time.Time  // when the command ended, zero before the first run
	text   string
	failed error

	refused string // the secret after whose refusal the command ran again
}

// token returns the secret. It runs the command the first time, and once after the service has refused the secret.
func (p *printed) token(refused string, run func() (string, error)) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ours := refused != "" && refused == p.text
	first := ours && refused != p.refused
	again := (ours || p.failed != nil) && p.now().Sub(p.ran) >= pause
	if !p.ran.IsZero() && !first && !again {
		return p.text, p.failed
	}
	p.text, p.failed = run()
	p.ran, p.refused = p.now(), refused
	return p.text, p.failed
}

// run runs the command of the secret, and returns its output. Its standard error, which may have the secret, goes nowhere.
func (s *source) run(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	var out string
	env := account.Outside(s.env, s.places)
	program, err := account.OnPath(s.from.Command[0], env, s.places)
	if err == nil {
		out, err = process.Ask(ctx, process.Program{Path: program, Args: s.from.Command, Env: env, Dir: s.places.Home}, maxToken+1)
	}
	name := fmt.Sprintf("the command of the token, %q,", s.from.Command[0])
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s did not end within %v", name, commandTime)
	case err != nil:
		return "", fmt.Errorf("%s failed: %w", name, err)
	}
	return checkToken("what "+name+" printed", strings.TrimSuffix(out, "\n"))
}
