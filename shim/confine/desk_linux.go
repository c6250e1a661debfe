package confine

import (
	"errors"
	"net"
	"os/exec"
	"slices"
	"sync"

	"swop/config"
)

// desk is the [giver] of a session, and what serves its [Desk].
type desk struct {
	*Desk
	session   *Session
	listeners []*net.UnixListener
	served    sync.WaitGroup
}

// openDesk lets the session ask for more.
func (s *Session) openDesk() error {
	d := &desk{session: s}
	d.Desk = &Desk{giver: d, now: s.request.Now, note: s.note, asked: s.tellAsked}
	s.desk = d
	if err := d.listen(s.scene.Runtime, AskSocket, d.serveAsk); err != nil {
		return err
	}
	if err := d.listen(s.dir, controlSocket, func(conn net.Conn) { d.serveControl(conn, d.about) }); err != nil {
		return err
	}
	for _, a := range s.answers {
		if !a.Allow {
			d.questions = append(d.questions, &question{Question: Question{ID: newID(), Ask: a.ask(), State: Denied, How: Always}})
		}
	}
	return nil
}

func (d *desk) listen(dir, name string, handle func(net.Conn)) error {
	l, err := listenIn(dir, name)
	if err == nil {
		d.listeners = append(d.listeners, l)
		d.served.Go(func() { serve(l, handle) })
	}
	return err
}

func (d *desk) about() Desks {
	s := d.session
	return Desks{Account: s.request.Key, Dir: s.request.Dir, Live: s.live.works()}
}

// close ends it. The session and all that it was given are gone.
func (d *desk) close() error {
	var failed []error
	for _, l := range d.listeners {
		failed = append(failed, l.Close())
	}
	d.served.Wait()
	return errors.Join(failed...)
}

// note logs what happened. A log that cannot be written changes nothing.
func (s *Session) note(kind string, a Ask, why string) {
	a.Reason = ""
	_ = Note(s.request.Places.Root, Event{
		Time: s.request.Now().UTC(), Kind: kind, Account: s.request.Key, Policy: s.request.Policy.Mode, Dir: s.request.Dir, Ask: a.Text(), Reason: why,
	})
}

// tellAsked tells the user that there is a question.
func (s *Session) tellAsked(e Question) {
	if s.request.Asked != nil {
		s.request.Asked(e)
	}
	command := s.request.Policy.OnRequest
	if len(command) == 0 {
		return
	}
	cmd := exec.Command(command[0], append(slices.Clone(command[1:]), e.ID+": "+e.Text())...)
	cmd.Env, cmd.Dir = s.request.Outside, "/"
	if cmd.Start() == nil {
		_ = cmd.Wait() // what it says is nobody's
	}
}

// look implements giver.
func (d *desk) look(a Ask) (Ask, bool, error) {
	s := d.session
	switch a.Kind {
	case KindConnect:
		switch {
		case s.request.Policy.Network.All:
			return a, false, nil
		case s.proxy == nil:
			return a, true, errors.New("the session has no network")
		}
		return a, !s.proxy.has(a.Target), nil
	case KindBridge:
		if s.request.Bridges == nil {
			return a, true, errors.New("the session has no bridge")
		}
		missing, err := s.request.Bridges.Widens(a.Target, a.Rule)
		return a, missing, err
	}
	a, needed, err := s.lookAtPath(a)
	return a, needed && (err != nil || !d.has(a.Target, Access(a.Kind))), err
}

func (s *Session) lookAtPath(a Ask) (Ask, bool, error) {
	scope, err := s.scene.Scope()
	if err != nil {
		return a, true, err
	}
	path, err := scope.Allowed(a.Target)
	if err != nil {
		return a, true, err
	}
	a.Target = path
	needed, err := scope.Missing(path, Access(a.Kind))
	return a, needed, err
}

// has reports whether what was given, and not just for one command, holds a path.
func (d *desk) has(path string, to Access) bool {
	return slices.ContainsFunc(d.list(), func(e Question) bool {
		return e.State == Granted && e.How != Once && config.Within(path, e.Target) && (e.Kind == KindWrite || e.Kind == string(to) && to == ToRead)
	})
}

// give implements giver.
func (d *desk) give(id string, a Ask) (undo func() error, err error) {
	s := d.session
	switch a.Kind {
	case KindConnect:
		return s.proxy.add(a.Target), nil
	case KindBridge:
		return s.request.Bridges.Widen(a.Target, a.Rule)
	}
	if a, _, err = s.lookAtPath(a); err != nil { // what is there may have changed since
		return nil, err
	}
	if err := s.show(id, a.Target, Access(a.Kind)); err != nil {
		return nil, err
	}
	return func() error { return s.unshow(id) }, nil
}

// keep implements giver.
func (d *desk) keep(a Ask, allow Allow) error {
	s := d.session
	others, err := s.withoutOthers()
	if err != nil {
		return err
	}
	defer others.Release()
	return keepAnswer(s.request.Places.Root, Answer{
		Account: s.request.Key, Workspace: s.scene.Workspace[0].Path, Kind: a.Kind, Target: a.Target, Rule: a.Rule, Allow: bool(allow),
	})
}
