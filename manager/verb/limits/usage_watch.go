package limits

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"swop/manager/terminal"
	"swop/manager/verb"
)

// leastEvery is the least time between two rounds.
const leastEvery = time.Minute

// watch prints the limits round after round, until a signal: on a terminal each in the place of the one before.
func watch(s verb.Setup, labels []string, f usageFlags) error {
	ctx, end := verb.UntilSignal(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	f.maxAge = leastEvery // an answer to another call, a moment ago, counts
	for ctx.Err() == nil {
		err := printUsage(s, labels, f, showRound(f.every))
		var failed verb.Exited // its output says why, and the next round may read more
		if err != nil && !errors.As(err, &failed) {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(f.every):
		}
	}
	return end()
}

// showRound returns a function that shows a round, and when the next one begins.
func showRound(every time.Duration) func(*verb.Call, usageAnswer) error {
	return func(call *verb.Call, u usageAnswer) error {
		if terminal.Is(call.Stdout) && !call.Dumb {
			fmt.Fprint(call.Stdout, "\x1b[H\x1b[2J") // to the upper left corner, and clear all: ECMA-48, CUP and ED
		}
		const clock = "15:04:05"
		said := fmt.Sprintf("asked at %s, again at %s", call.Now().Format(clock), call.Now().Add(every).Format(clock))
		return errors.Join(showUsage(call, u), call.Show(append([]string{""}, append(call.Sentences(said), "")...)))
	}
}
