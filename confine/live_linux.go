package confine

import (
	"errors"
	"os"
	"sync"

	"swop/confine/desk"
	"swop/confine/mountns"
	"swop/disk"
	"swop/session/socket"
)

// live is what a session's supervisor knows of the process called [mountns.Name].
type live struct {
	mu      sync.Mutex
	control *mountns.Control    // nil before it starts
	answers chan mountns.Answer // closed when the process is gone

	lacksOverlay bool // only what the session writes is shown in place of each [mountns.Overlay]
}

// open makes the socket by which the process is told what to do, and returns its end. What it notices is passed to noticed.
func (l *live) open(noticed func(mountns.Notice)) (theirs *os.File, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ours, theirs, err := mountns.SocketPair()
	if err == nil {
		control := mountns.NewControl(ours)
		l.control, l.answers = &control, make(chan mountns.Answer, 1)
		go receive(control, l.answers, noticed)
	}
	return theirs, err
}

// receive passes on what the process says until it is gone.
func receive(control mountns.Control, answers chan<- mountns.Answer, noticed func(mountns.Notice)) {
	defer close(answers)
	for {
		var a mountns.Answer
		switch {
		case control.Decode(&a) != nil:
			return
		case a.Notice != nil:
			noticed(*a.Notice)
		default:
			answers <- a
		}
	}
}

// close returns when all that the process has noticed was passed on. That has ended, or is about to.
func (l *live) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.control == nil {
		return nil
	}
	late := socket.CloseLate(l.control)
	for range l.answers { // nobody asks any more
	}
	late.Stop()
	err := l.control.Close()
	l.control = nil
	return disk.Ignore(err, os.ErrClosed)
}

// ask passes a plan or an order to the process, and returns its answer.
func (l *live) ask(message any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.control == nil {
		return errors.New("the session has not started")
	}
	defer socket.CloseLate(l.control).Stop()
	a, ok := mountns.Answer{}, false
	if l.control.Encode(message) == nil {
		a, ok = <-l.answers
	}
	l.lacksOverlay = l.lacksOverlay || a.LacksOverlay
	switch {
	case !ok:
		return errors.New("the process that mounts has ended")
	case a.Error != "":
		return errors.New(a.Error)
	}
	return nil
}

// show gives the session a path, which [Scope] has found good. The id names what is given.
func (j *Jail) show(id, path string, to desk.Access) error {
	scene := j.scene.with(path, to)
	l, err := scene.layout()
	if err != nil {
		return err
	}
	if !l.at(path).has {
		l.show(mountns.Readonly, path)
	}
	err = l.mount(path)
	if err == nil && to == desk.ToWrite {
		err = j.noteGiven([]Root{scene.rootAt(path, true)}, l.layout)
	}
	if err != nil {
		return err
	}
	return j.live.ask(mountns.Order{ID: id, Mounts: l.mounts, Watch: l.watch})
}

// unshow takes what was given back.
func (j *Jail) unshow(id string) error { return j.live.ask(mountns.Order{ID: id}) }
