//go:build linux || darwin

package appserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"golang.org/x/sys/unix"

	"swop/manager/process"
)

// ending is a server that is being stopped, held so that its pid cannot become another process's unnoticed.
type ending struct {
	handle process.ProcessHandle
	server process.Process
}

type endings []ending

// openEnds takes hold of the servers that are still there. What is held is checked once more to be the server, afterwards.
func openEnds(servers []process.Process) (endings, error) {
	var list endings
	for _, p := range servers {
		h, err := process.OpenProcess(p.PID)
		if errors.Is(err, unix.ESRCH) {
			continue
		}
		if err != nil {
			return list, fmt.Errorf("%v: %w", p, err)
		}
		q, err := p.Again()
		if err != nil || !q.IsServer() {
			h.Close()
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return list, fmt.Errorf("%v: %w", p, err)
			}
			continue
		}
		list = append(list, ending{h, p})
	}
	return list, nil
}

func (l endings) close() {
	for _, e := range l {
		e.handle.Close()
	}
}

// endStep is a signal and how long to wait after it. Signal 0 only waits.
type endStep struct {
	signal unix.Signal
	wait   time.Duration
}

// endSteps is how a server in that state is ended. SIGTERM ends an idle server in 0.05 s and lets a busy one finish its turn; a
// second SIGTERM ends that one at once (0.169). After `daemon stop` a server took up to 4 s. A stopped or hung one needs SIGKILL.
func endSteps(state activity, asked stopAsked) []endStep {
	kill := endStep{unix.SIGKILL, 10 * time.Second}
	switch {
	case state == busy:
		return []endStep{{unix.SIGTERM, time.Second}, {unix.SIGTERM, 5 * time.Second}, kill}
	case state == silent:
		return []endStep{{unix.SIGTERM, 2 * time.Second}, kill}
	case asked == stopDone:
		return []endStep{{0, 5 * time.Second}, {unix.SIGTERM, 10 * time.Second}, kill}
	}
	return []endStep{{unix.SIGTERM, 10 * time.Second}, kill}
}

// end ends one server and waits for it. Of the signals that a server gets the first is kind to a turn that has just begun, and the
// later ones are not: before those it is asked again.
func (s ServerStop) end(ctx context.Context, e ending, state activity, asked stopAsked) error {
	told := asked != notAsked
	for _, step := range endSteps(state, asked) {
		if told && step.signal != 0 && s.Turns == KeepTurns {
			if err := s.refuseBusy(e.server); err != nil {
				return err
			}
		}
		gone, err := e.step(ctx, step)
		if err != nil {
			return fmt.Errorf("%v: %w", e.server, err)
		}
		if gone {
			return nil
		}
		told = true
	}
	return fmt.Errorf("%v survives SIGKILL", e.server)
}

// refuseBusy looks again at a server that did not end when it was told to: it may have got a turn since.
func (s ServerStop) refuseBusy(p process.Process) error {
	t, err := process.AccountProcesses(s.CodexHome)
	if err != nil {
		return err
	}
	if _, why := activityOf(t, p, s.CodexHome); why != "" {
		return fmt.Errorf("%w: %v %s", ErrServerBusy, p, why)
	}
	return nil
}

// step says whether the process is gone after it.
func (e ending) step(ctx context.Context, step endStep) (gone bool, err error) {
	if step.signal != 0 {
		err = e.handle.Signal(e.server, step.signal)
	}
	if errors.Is(err, unix.ESRCH) || errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return e.handle.Wait(ctx, e.server, step.wait)
}
