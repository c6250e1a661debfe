//go:build unix

package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"swop/shim/codexsandbox"
)

// sandboxAnswer is the answer of the verb with --json.
type sandboxAnswer struct {
	SchemaVersion int               `json:"schema_version"`
	Status        int               `json:"status"`
	Signal        string            `json:"signal"`            // "SIGKILL", "" for none
	Stopped       codexsandbox.Stop `json:"stopped,omitempty"` // why it was ended before its time
	Stdout        string            `json:"stdout"`
	Stderr        string            `json:"stderr"`
	// What is not UTF-8 cannot be in a JSON string: there U+FFFD stands above, and all bytes are here in base64.
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

// sandboxJSON captures what the command writes and prints it. A signal that is to end swop ends the command, and is answered, too.
func (a *app) sandboxJSON(client *codexsandbox.Client, r codexsandbox.Request) error {
	ctx, caught := untilSignal(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	r.Stdin = a.stdin
	run, err := client.Run(ctx, r)
	if err != nil {
		return endedBy(caught(), err)
	}
	if err := writeJSON(a.stdout, sandboxAnswerOf(run)); err != nil {
		return err
	}
	return endedBy(caught(), sandboxStatus(run))
}

// sandboxAttached runs the command with the streams and the terminal as they are. The terminal's keys reach it without us.
func (a *app) sandboxAttached(call *codexsandbox.Call) error {
	defer call.Close()
	keys := make(chan os.Signal, 1)
	signal.Notify(keys, syscall.SIGINT, syscall.SIGQUIT) // caught, not ignored: that would be inherited
	ctx, caught := untilSignal(syscall.SIGTERM, syscall.SIGHUP)
	run, err := call.Attach(ctx, a.stdin, a.stdout, a.stderr)
	if err != nil {
		return endedBy(caught(), err)
	}
	if run.Stopped == codexsandbox.TimedOut {
		a.say("the command was ended: it ran longer than --timeout allows")
	}
	return endedBy(caught(), sandboxStatus(run))
}

// untilSignal returns a context that the first of the signals cancels, and what tells which it was, 0 for none.
func untilSignal(signals ...os.Signal) (context.Context, func() syscall.Signal) {
	ctx, cancel := context.WithCancel(context.Background())
	got := make(chan os.Signal, 1)
	first := make(chan syscall.Signal, 1)
	signal.Notify(got, signals...)
	go func() {
		s, _ := (<-got).(syscall.Signal)
		first <- s
		cancel()
	}()
	return ctx, func() syscall.Signal {
		select {
		case s := <-first:
			return s
		default:
			return 0
		}
	}
}

// endedBy is the status of a program that the signal ended, err where there was none.
func endedBy(s syscall.Signal, err error) error {
	if s == 0 {
		return err
	}
	return exited(128 + int(s))
}
