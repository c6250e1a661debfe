package confine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"swop/config"
	"swop/confine/advice"
	"swop/confine/mountns"
	"swop/confine/peer"
	"swop/confine/preflight"
	"swop/say"
	"swop/session/supervise"
)

// Start starts the program at path inside. All of the session dies with this process.
func (j *Jail) Start(path string, args, env []string) (c supervise.Child, err error) {
	helper := helperArgs(j.proxy != nil, j.request.Start, path, args)
	signal.Ignore(supervise.Signals...) // keys of the terminal end none of the processes between
	if j.next == nil {                  // the one that was begun has failed
		if err := j.begin(); err != nil {
			return c, err
		}
	}
	l := j.next
	j.next = nil
	if err = l.Forked(); err != nil {
		err = preflight.NotMade(err)
	} else if err = j.launch(l, helper, env); err == nil {
		err = j.started(l, path)
	}
	if err != nil {
		_ = errors.Join(l.Helper.Close(), j.live.control.Close()) // whatever has begun ends
	}
	return child(l), err
}

// begin starts the first process.
func (j *Jail) begin() error {
	control, err := j.live.open(j.noticed)
	if err == nil {
		j.next, err = mountns.Begin(j.request.Helper, j.request.Env, control)
	}
	return err
}

// plan says what the session sees.
func (j *Jail) plan(helper, env []string) (p mountns.Plan, err error) {
	if j.scope, err = j.scene.Scope(); err != nil {
		return p, err
	}
	if list := j.scope.omitted; len(list) > 0 {
		j.request.Tell(fmt.Sprintf("the session sees %d entries of your home at most: it does not see %s and %d more", mostMounts, say.Name(list[0]), len(list)-1))
	}
	return mountns.Plan{
		Stage: j.scene.Runtime, Upper: j.dir, Program: HelperPath, Args: append([]string{HelperPath}, helper...), Env: env,
		OwnNetwork: j.proxy != nil, Mounts: j.scope.mounts, Watch: j.scope.watch,
	}, nil
}

// launch lets the processes show what the session sees, and start the helper.
func (j *Jail) launch(l *mountns.Launch, helper, env []string) error {
	plan, err := j.plan(helper, env)
	if err := errors.Join(err, j.filled()); err != nil { // the plan shows it
		return err
	}
	if err := j.live.ask(plan); err != nil {
		_, _ = l.First.End() // it has ended, or is about to
		return preflight.NotMade(err)
	}
	return errors.Join(j.request.Ready(), j.noteStart())
}

// peers are what the session's programs connect to outside: what the policy names, and the sockets of swop's own.
func (j *Jail) peers() peer.Options {
	allowed := slices.Clone(j.scene.Policy.Sockets)
	for _, dir := range append(slices.Clone(j.request.Visible), j.scene.Runtime) {
		entries, _ := os.ReadDir(dir) // what is no directory has none
		for _, entry := range entries {
			allowed = append(allowed, filepath.Join(dir, entry.Name()))
		}
	}
	o := peer.Options{Allowed: allowed, Refused: func(name string) {
		j.diary.note(Blocked, "connect to the socket "+say.OneLine(name), "no program inside listens on it, and sockets in config.toml does not name it")
	}}
	if j.advises() {
		o.Told = &peer.Told{Path: filepath.Join(j.scene.Runtime, advice.File), Serve: advice.Give}
	}
	return o
}

// advises reports whether git says what to ask for.
func (j *Jail) advises() bool {
	return j.scene.Policy.Git == config.GitRead && j.scene.Policy.Mode != config.ConfineFull
}

// started waits until the helper says that it is sealed, serves the helper, and waits until it says that the program at path runs, or why not, as an
// errno.
func (j *Jail) started(l *mountns.Launch, path string) error {
	calls, err := peer.Receive(l.Helper)
	if err != nil {
		return notStarted(l, err)
	}
	if j.live.lacksOverlay {
		if err := j.copyRecent(); err != nil {
			return err
		}
	}
	go func() { _ = peer.Serve(calls, j.peers()) }() // if it fails, the calls do
	if _, err := l.Helper.Write([]byte{0}); err != nil {
		return notStarted(l, err)
	}
	var errno uint32
	if err := binary.Read(l.Helper, binary.NativeEndian, &errno); err != nil {
		return notStarted(l, err)
	}
	if errno == 0 {
		return nil
	}
	_, _ = l.First.End() // the helper has ended
	return &os.PathError{Op: "run", Path: path, Err: syscall.Errno(errno)}
}

// notStarted says why the helper could not be sealed, or how it ended.
func notStarted(l *mountns.Launch, err error) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		return preflight.NotMade(err)
	}
	status, err := l.First.End()
	switch {
	case err != nil:
		return err
	case status.Signaled():
		return preflight.NotMade(fmt.Errorf("the first process inside was ended by %v", status.Signal()))
	}
	return preflight.NotMade(fmt.Errorf("the first process inside ended with status %d", status.ExitStatus()))
}

// child returns the program inside. The helper reports each change of it, as wait(2) has it, and sends it the signals that are written to it.
func child(l *mountns.Launch) supervise.Child {
	return supervise.Child{
		Signal: func(sig syscall.Signal) error { return binary.Write(l.Helper, binary.NativeEndian, uint32(sig)) },
		Wait: func() (status syscall.WaitStatus, err error) {
			err = binary.Read(l.Helper, binary.NativeEndian, &status)
			if err != nil || !status.Stopped() {
				_, _ = l.First.End() // now all inside is dead
				l.Settle()
			}
			return status, err
		},
	}
}
