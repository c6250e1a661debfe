//go:build unix

package limits

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/internal/account"
	"swop/internal/limits/continuation"
	"swop/internal/limits/transcript"
	"swop/internal/limits/usage"
	"swop/internal/say"
	"swop/internal/session"
	"swop/manager/verb"
)

// The values of --at-limit.
const (
	atLimitNext = "next"
	atLimitWait = "wait"
	atLimitStop = "stop"
)

// maxRounds is how often a session goes on at most.
const maxRounds = 10

func Exec(call *verb.Call) *cobra.Command {
	var atLimit string
	words := []string{atLimitNext, atLimitWait, atLimitStop}
	cmd := &cobra.Command{
		Use:   "exec [flags] -- ARGS…",
		Short: "Run codex exec, and go on at the account's limit",
		Long: "Run codex exec ARGS under the account of this directory, or of a pool. If codex fails, and says that the account is at its " +
			"limit, exec goes on with the same session: with --at-limit next under the next account of the pool, with --at-limit wait under " +
			"the same account after its reset. The prompt is sent once: the session goes on with the prompt \"" + goOn + "\" if it has " +
			"recorded yours.\n\nStandard output and the exit status are those of the last codex exec. Ctrl-C ends all. OpenAI's terms may " +
			"restrict the use of several accounts: see docs/usage.md.",
		ValidArgsFunction: cobra.NoFileCompletions,
		Example: verb.Example(`codex swop exec --at-limit next -- "fix the tests" </dev/null`,
			`codex swop exec --at-limit wait -- --json "fix the tests" </dev/null`, `codex swop exec --at-limit next -- resume --last "go on"`),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case !slices.Contains(words, atLimit):
				return verb.WrongUsage(cmd, "--at-limit must be %s, %s or %s", atLimitNext, atLimitWait, atLimitStop)
			case len(args) == 0:
				return verb.WrongUsage(cmd, "missing ARGS")
			}
			return verb.With(call.Open, func(s verb.Setup, args []string) error { return runExec(s, args, atLimit) })(cmd, args)
		},
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().StringVar(&atLimit, "at-limit", atLimitStop, "do `WHAT` at the limit: next, wait or stop")
	_ = cmd.RegisterFlagCompletionFunc("at-limit", cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)) // it has none yet
	return cmd
}

// execution is a call of exec: a codex exec, and those that go on with its session.
type execution struct {
	asker
	succession
	atLimit  string
	args     []string        // of codex exec, as they were given
	current  account.Account // of this round
	first    string          // the label of the first round's account
	recorded bool            // the session has the prompt, which is not sent again
}

// runExec runs codex exec until it ends for another reason than a limit. The error is a [verb.Exited] with the status of the last one.
func runExec(s verb.Setup, args []string, atLimit string) error {
	if atLimit == atLimitStop {
		return session.Call(s.Shim(), s.Environ, append([]string{"exec"}, args...)...).Exec()
	}
	s.SetDir(append([]string{"codex", "exec"}, args...))
	x := &execution{atLimit: atLimit, args: args}
	env, err := x.open(s)
	if err != nil {
		return err
	}
	ctx, end := verb.UntilSignal(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer end() //nolint:errcheck // the status is codex's
	r := round{args: args, env: env}
	for n := 0; ; n++ {
		done, err := x.run(r)
		if err != nil {
			return err
		}
		var next *round
		if done.status > 0 && ctx.Err() == nil {
			next, err = x.goOn(ctx, done, n)
		}
		if err == nil && next != nil && ctx.Err() == nil {
			r = *next
			continue
		}
		_ = done.watch.Release() // whoever read it is gone
		if exited, ok := errors.AsType[verb.Exited](err); ok {
			return exited
		}
		if err != nil {
			say.Error(s.Stderr, err)
		}
		return verb.Exited(done.status)
	}
}

// open finds the account and the pool, and returns the environment of the first codex exec, which names the account of a pool.
func (x *execution) open(s verb.Setup) (env config.Env, err error) {
	if x.asker, err = newAsker(s, usageFlags{timeout: limitTimeout}); err != nil {
		return nil, err
	}
	if x.choice, err = s.HereOrPool(); err != nil {
		return nil, err
	}
	if x.atLimit == atLimitNext {
		if x.key, err = poolHere(s); err != nil {
			return nil, err
		}
		if x.pool, err = usage.PoolNamed(s.Settings, x.key); err != nil {
			return nil, err
		}
	}
	x.dir = s.PoolDir()
	env = s.Environ
	switch {
	case x.choice.Pool != "":
		if err := s.Reader().Pick(&s.Invocation, &s.Settings, &x.choice); err != nil {
			return nil, err
		}
		env = session.As(x.choice.Label, s.Environ)
	case x.choice.Label == "":
		return nil, say.WithHint(errors.New("codex runs without an account here"), "codex swop use LABEL")
	}
	x.current, err = s.Store.Find(x.choice.Label)
	x.first = x.current.Meta.Label
	return env, err
}

// goOn returns the round that continues the session, nil where the account is not at its limit.
func (x *execution) goOn(ctx context.Context, done outcome, n int) (*round, error) {
	until, err := limitOf(x.asker, x.current, 100) // however near it is
	switch {
	case err != nil:
		return nil, err
	case until.IsZero() && done.watch.Undecipherable && n > 0:
		err := fmt.Errorf("OpenAI cannot continue this session under %q: another account encrypted it", x.current.Meta.Label)
		return nil, say.WithHint(err, "codex swop resume "+done.watch.Session+" --as "+say.ShellQuote(x.first))
	case until.IsZero():
		return nil, nil //nolint:nilnil // it failed for another reason
	case n >= maxRounds:
		return nil, fmt.Errorf("%s; stopping after %d rounds", atLimitText(x.current, until, x.Now()), n)
	}
	next := &round{number: n + 1}
	if next.args, err = x.continued(ctx, done); err != nil {
		return nil, fmt.Errorf("%s; cannot go on: %w", atLimitText(x.current, until, x.Now()), err)
	}
	if x.atLimit == atLimitNext {
		err = x.succeed(done, until)
	} else {
		err = x.wait(ctx, until)
	}
	if err == nil {
		next.env = session.As(x.current.Key, x.Environ)
	}
	return next, err
}

// goOn is the prompt for a session that has recorded the user's prompt.
const goOn = "continue"

// continued returns the arguments of the codex exec that goes on: with the session if it has recorded the prompt, else the given arguments.
func (x *execution) continued(ctx context.Context, done outcome) ([]string, error) {
	id := done.watch.Session
	if id == "" {
		return nil, errors.New("codex exec printed no session ID")
	}
	recorded, err := transcript.HasPromptSince(ctx, x.current.CodexHome(), id, done.began)
	if err != nil {
		return nil, err
	}
	x.recorded = x.recorded || recorded
	options, err := x.options(ctx)
	if err != nil {
		return nil, err
	}
	call, err := options.Parse(x.args)
	switch {
	case err != nil:
		return nil, err
	case x.recorded:
		return call.Resume(id, goOn), nil
	case call.Resumes || !call.HasPrompt:
		return nil, errors.New("codex stopped before it saved the prompt; run the command again")
	}
	return x.args, nil
}

// options asks codex for the options of codex exec.
func (x *execution) options(ctx context.Context) (continuation.Options, error) {
	var texts []string
	for _, command := range []string{"exec --help", "exec resume --help"} {
		text, err := x.output(ctx, strings.Fields(command))
		if err != nil {
			return continuation.Options{}, fmt.Errorf("codex %s: %w", command, err)
		}
		texts = append(texts, text)
	}
	return continuation.ParseHelp(texts...), nil
}

// succeed takes the next account of the pool, and says so.
func (x *execution) succeed(done outcome, until time.Time) error {
	from := x.current
	to, err := successor(x.asker, x.succession, from, until)
	if err != nil {
		return err
	}
	e := sessionEntry{ID: done.watch.Session, Label: from.Meta.Label, Key: from.Key, isPrivate: from.Meta.State == account.StatePrivate}
	if err := handOver(x.asker.Setup, e, to.Key); err != nil {
		return err
	}
	if x.choice.Pool == x.key {
		if all, err := usage.Survey(x.Store, x.Now()); err == nil {
			_ = all.Remember(x.dir, to.Key) // the next start asks again
		}
	}
	x.Say("%s: the session goes on as %q, the next account of the pool %q", atLimitText(from, until, x.Now()), to.Meta.Label, x.key)
	x.current = to.Account
	return nil
}
