package verb

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"swop/config"
)

// RunProgram runs a program with our streams, its name the first of args, and waits for it. Of signals, it passes on those that the
// terminal does not send to the child itself. If the program fails, the error is an [Exited].
func (c *Call) RunProgram(program string, args []string, env config.Env) error {
	cmd := exec.Cmd{Path: program, Args: args, Env: env}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, c.Stdout, c.Stderr
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			if s != syscall.SIGINT && s != syscall.SIGQUIT {
				_ = cmd.Process.Signal(s) // it may have ended
			}
		case err := <-done:
			return childStatus(err)
		}
	}
}

func childStatus(err error) error {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return err
	}
	if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return Exited(128 + int(ws.Signal()))
	}
	return Exited(exit.ExitCode())
}

// UntilSignal returns a context that ends with the first of the signals, except for those that are ignored. end stops waiting for them, and
// returns an [Exited] if one has come.
func UntilSignal(signals ...os.Signal) (ctx context.Context, end func() error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	got := make(chan os.Signal, 1)
	for _, s := range signals {
		if !signal.Ignored(s) {
			signal.Notify(got, s)
		}
	}
	go func() {
		select {
		case s := <-got:
			n, _ := s.(syscall.Signal) // all are
			cancel(Exited(128 + int(n)))
		case <-ctx.Done():
		}
	}()
	return ctx, func() error {
		signal.Stop(got)
		cancel(nil)
		if ended, ok := context.Cause(ctx).(Exited); ok { //nolint:errorlint // it is the cause itself
			return ended
		}
		return nil
	}
}
