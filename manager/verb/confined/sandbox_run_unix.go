//go:build unix

package confined

import (
	"cmp"
	"os"
	"os/signal"
	"syscall"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"swop/codexsandbox"
	"swop/manager/verb"
)

// sandboxAnswer is the answer of the verb with --json.
type sandboxAnswer struct {
	SchemaVersion int               `json:"schema_version"`
	Status        int               `json:"status"`
	Signal        string            `json:"signal"`            // "SIGKILL", "" for none
	Stopped       codexsandbox.Stop `json:"stopped,omitempty"` // why it was stopped
	Stdout        string            `json:"stdout"`
	Stderr        string            `json:"stderr"`
	// Where stdout and stderr have U+FFFD for what is not UTF-8, these have all bytes, in base64.
	StdoutBytes []byte   `json:"stdout_base64,omitempty"`
	StderrBytes []byte   `json:"stderr_base64,omitempty"`
	Release     string   `json:"codex_release"`
	Argv        []string `json:"argv"`
}

func sandboxAnswerOf(run codexsandbox.Run) sandboxAnswer {
	return sandboxAnswer{
		SchemaVersion: 1, Status: run.Status, Signal: unix.SignalName(run.Signal), Stopped: run.Stopped,
		Stdout: string(run.Stdout), Stderr: string(run.Stderr), StdoutBytes: unlessText(run.Stdout), StderrBytes: unlessText(run.Stderr),
		Release: run.Release.String(), Argv: run.Args,
	}
}

func unlessText(data []byte) []byte {
	if utf8.Valid(data) {
		return nil
	}
	return data
}

// sandboxJSON captures what the command writes and prints it. A signal that ends swop also ends the command; the answer is still printed.
func sandboxJSON(call *verb.Call, client *codexsandbox.Client, r codexsandbox.Request) error {
	ctx, end := verb.UntilSignal(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	r.Stdin = call.Stdin
	run, err := client.Run(ctx, r)
	if err == nil {
		err = cmp.Or(verb.WriteJSON(call.Stdout, sandboxAnswerOf(run)), sandboxStatus(run))
	}
	return cmp.Or(end(), err)
}

// sandboxAttached runs the command with our streams and terminal, whose keys it gets from the terminal itself.
func sandboxAttached(call *verb.Call, command *codexsandbox.Call) error {
	defer command.Close()
	keys := make(chan os.Signal, 1)
	signal.Notify(keys, syscall.SIGINT, syscall.SIGQUIT) // caught, not ignored: that would be inherited
	ctx, end := verb.UntilSignal(syscall.SIGTERM, syscall.SIGHUP)
	run, err := command.Attach(ctx, call.Stdin, call.Stdout, call.Stderr)
	if err == nil {
		err = sandboxStatus(run)
	}
	if run.Stopped == codexsandbox.TimedOut {
		call.Say("the command was stopped: it ran longer than --timeout allows")
	}
	return cmp.Or(end(), err)
}
