package verb

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// UntilSignal returns a context that ends with the first of the signals, except for ignored ones. end stops the wait, and returns an
// [Exited] if a signal has come.
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
