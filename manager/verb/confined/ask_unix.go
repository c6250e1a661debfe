//go:build unix

package confined

import (
	"errors"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"swop/internal/confine"
	"swop/internal/confine/desk"
	"swop/internal/disk"
	"swop/internal/limits/transcript"
	"swop/internal/say"
	"swop/manager/verb"
	"swop/shim"
)

// asked are the flags that name the thing to ask for.
var asked = []struct{ kind, usage string }{
	{desk.KindWrite, "ask to write `PATH`, and all below it"},
	{desk.KindRead, "ask to read `PATH`, which is not there"},
	{desk.KindConnect, "ask to reach `HOST` or HOST:PORT"},
}

func Ask(call *verb.Call) *cobra.Command {
	var reason string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "ask [flags] --write|--read|--connect WHAT [-- COMMAND…]",
		Short: "Ask the user for more than the confined session has",
		Long: "Ask the user, from inside of a confined session, for one thing that it does not have: to write a path, to read one that is " +
			"not there, or to reach a host. It waits for the answer. If that is yes, COMMAND runs with it, and its exit status is the one here. " +
			"Without a command the answer says how to go on with the session, which has the path then. If it is no, the answer is printed as " +
			"JSON, and the exit status is 4.",
		Example: verb.Example(
			"codex swop ask --write ~/data --reason 'the report goes there' -- make report",
			"codex swop ask --read ~/.aws", "codex swop ask --connect docs.example.com:443",
		),
		RunE: func(cmd *cobra.Command, args []string) error {
			ask, err := askOf(cmd, args)
			if err == nil && timeout <= 0 {
				err = verb.WrongUsage(cmd, "--timeout must be more than 0")
			}
			if err != nil {
				return err
			}
			ask.Reason = reason
			return askAndRun(call, desk.Request{Ask: ask, Timeout: timeout})
		},
	}
	for _, of := range asked {
		cmd.Flags().String(of.kind, "", of.usage)
	}
	cmd.Flags().StringVar(&reason, "reason", "", "tell the user `TEXT`")
	cmd.Flags().DurationVar(&timeout, "timeout", 5*time.Minute, "wait this `TIME` for the answer")
	return cmd
}

// askOf returns the question of the flags, with the words behind -- as its command.
func askOf(cmd *cobra.Command, args []string) (ask desk.Ask, err error) {
	words, dash := args, cmd.ArgsLenAtDash()
	if dash >= 0 {
		words, ask.Command = args[:dash], args[dash:]
	}
	said := 0
	for _, of := range asked {
		if target := cmd.Flag(of.kind).Value.String(); target != "" {
			ask.Kind, ask.Target = of.kind, target
			said++
		}
	}
	switch {
	case said != 1:
		return ask, verb.WrongUsage(cmd, "name one of --write, --read, --connect")
	case len(words) > 0:
		return ask, verb.WrongUsage(cmd, "unexpected argument %q: put the command after --", words[len(words)-1])
	}
	return ask, nil
}

// threadVariable is set by codex, in the commands of a session, to the session's ID.
const threadVariable = "CODEX_THREAD_ID"

func askAndRun(call *verb.Call, r desk.Request) (err error) {
	in, err := confine.ReadInside()
	if err != nil {
		return say.WithHint(errors.New("this session is not confined: it has nothing to ask for"), "codex swop confine")
	}
	if r.Dir, err = verb.Directory(nil); err != nil {
		return err
	}
	if r.Kind != desk.KindConnect && !filepath.IsAbs(r.Target) {
		r.Target = filepath.Join(r.Dir, r.Target)
	}
	if len(r.Command) > 0 {
		if r.Program, err = disk.OnPath(r.Command[0], call.Environ.Value("PATH")); err == nil {
			r.Program, err = filepath.Abs(r.Program)
		}
		if err != nil {
			say.Error(call.Stderr, err)
			return verb.Exited(127)
		}
		r.Env = call.Environ
	}
	r.Session = call.Environ.Value(threadVariable)
	asking, q, err := desk.AskFor(r)
	if err != nil {
		return err
	}
	switch {
	case q.State != desk.Granted:
		if err := verb.WriteJSON(call.Stdout, q); err != nil {
			return err
		}
		return verb.Exited(verb.StatusRefused)
	case r.RunsBeside() && q.ID != "":
		status, err := asking.Attend()
		if err != nil {
			return err
		}
		return verb.Exited(status)
	case len(r.Command) > 0: // the session has what it asked for
		return shim.Exec(r.Program, r.Command, call.Environ)
	case r.Kind == desk.KindConnect || q.ID == "": // the session has it
	case !transcript.IsID(q.Session): // codex before 0.132 does not set the variable
		call.Say("%s was granted: ask again with a command, which has it", say.Name(q.Target))
	default:
		call.Say("%s was granted; sessions have it from their start on: SWOP_ACCOUNT=%s codex resume %s",
			say.Name(q.Target), say.ShellQuote(in.Key), q.Session)
	}
	return nil
}
