//go:build unix

package confined

import (
	"cmp"
	"syscall"

	"swop/codexsandbox"
	"swop/manager/verb"
)

// sandboxAnswer is the answer of the verb with --json. In the streams U+FFFD stands for what is not UTF-8.
type sandboxAnswer struct {
	SchemaVersion int      `json:"schema_version"`
	Status        int      `json:"status"`
	TimedOut      bool     `json:"timed_out"`
	Stdout        string   `json:"stdout"`
	Stderr        string   `json:"stderr"`
	Release       string   `json:"codex_release"`
	Argv          []string `json:"argv"`
}

// sandboxRun runs the command and waits for it. A signal that ends swop ends the command as well.
func sandboxRun(call *verb.Call, client *codexsandbox.Client, f sandboxFlags) error {
	ctx, end := verb.UntilSignal(syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP)
	f.request.Stdin = call.Stdin
	if !f.json {
		client.Stdout, client.Stderr = call.Stdout, call.Stderr
	}
	run, err := client.Run(ctx, f.request)
	if ended := end(); ended != nil || err != nil {
		return cmp.Or(ended, err)
	}
	if f.json {
		err = verb.WriteJSON(call.Stdout, sandboxAnswer{
			1, run.Status, run.TimedOut, string(run.Stdout), string(run.Stderr), run.Release.String(), run.Args,
		})
	} else if run.TimedOut {
		call.Say("the command was stopped: it ran longer than --timeout allows")
	}
	if run.TimedOut {
		run.Status = 124 // as of timeout(1)
	}
	if err == nil && run.Status != 0 {
		err = verb.Exited(run.Status)
	}
	return err
}
