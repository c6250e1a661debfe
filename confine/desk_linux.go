package confine

import (
	"errors"
	"os/exec"
	"path/filepath"
	"slices"

	"swop/config"
	"swop/confine/desk"
)

// counter is the [desk.Giver] of a session, and its desk.
type counter struct {
	desk.Desk
	session *Jail
}

// openDesk lets the session ask for more.
func (j *Jail) openDesk() error {
	d := &counter{session: j}
	d.Desk = desk.Desk{Giver: d, Now: j.request.Now, Note: j.noteAsk, Asked: j.tellAsked}
	j.desk = d
	for _, a := range j.answers {
		if !a.Allow {
			d.Deny(a)
		}
	}
	return d.Open(j.scene.Runtime, j.dir, d.about)
}

func (d *counter) about() desk.Desks {
	s := d.session
	return desk.Desks{Account: s.request.Key, Dir: s.request.Dir}
}

// noteAsk notes what was asked for, or given.
func (j *Jail) noteAsk(kind string, a desk.Ask, why string) {
	a.Reason = ""
	j.diary.note(kind, a.Text(), why)
}

// tellAsked tells the user that there is a question.
func (j *Jail) tellAsked(e desk.Question) {
	j.request.Asked(e)
	command := j.request.Policy.OnRequest
	if len(command) == 0 {
		return
	}
	cmd := exec.Command(command[0], append(slices.Clone(command[1:]), e.ID+": "+e.Text())...)
	cmd.Env, cmd.Dir = j.request.Outside, "/"
	if cmd.Start() == nil {
		_ = cmd.Wait() // what it says is nobody's
	}
}

// Look implements [desk.Giver].
func (d *counter) Look(a desk.Ask) (desk.Ask, bool, error) {
	s := d.session
	switch a.Kind {
	case desk.KindConnect:
		return a, s.proxy != nil && !s.proxy.Has(a.Target), nil
	case desk.KindBridge:
		if s.request.Bridges == nil {
			return a, true, errors.New("the session has no bridge")
		}
		missing, err := s.request.Bridges.Widens(a.Target, a.Rule)
		return a, missing, err
	}
	a, needed, err := s.lookAtPath(a)
	return a, needed && (err != nil || !d.has(a.Target, desk.Access(a.Kind))), err
}

func (j *Jail) lookAtPath(a desk.Ask) (desk.Ask, bool, error) {
	scope, err := j.scene.Scope()
	if err != nil {
		return a, true, err
	}
	path, err := scope.Allowed(a.Target)
	if err != nil {
		return a, true, err
	}
	if repository := linkedRepository(filepath.Dir(path)); repository != "" && filepath.Base(path) == ".git" && a.Kind == desk.KindWrite {
		path = repository // .git is a file that leads there
	}
	a.Target = path
	needed, err := scope.Missing(path, desk.Access(a.Kind))
	return a, needed, err
}

// has reports whether what was given, and not just for one command, holds a path.
func (d *counter) has(path string, to desk.Access) bool {
	return slices.ContainsFunc(d.List(), func(e desk.Question) bool {
		return e.State == desk.Granted && e.How != desk.Once && config.Within(path, e.Target) && (e.Kind == desk.KindWrite || e.Kind == string(to) && to == desk.ToRead)
	})
}

// Give implements [desk.Giver].
func (d *counter) Give(id string, a desk.Ask) (undo func() error, err error) {
	s := d.session
	switch a.Kind {
	case desk.KindConnect:
		return s.proxy.Add(a.Target), nil
	case desk.KindBridge:
		return s.request.Bridges.Widen(a.Target, a.Rule)
	}
	now, _, err := s.lookAtPath(a)
	if err == nil && now.Target != a.Target {
		err = &Violation{"the path", a.Target, "leads elsewhere than when it was asked for"}
	}
	if err != nil {
		return nil, err
	}
	if err := s.show(id, a.Target, desk.Access(a.Kind)); err != nil {
		return nil, err
	}
	return func() error { return s.unshow(id) }, nil
}

// Keep implements [desk.Giver].
func (d *counter) Keep(a desk.Ask, allow desk.Allow) error {
	s := d.session
	others, err := withoutOthers(s.request.Places)
	if err != nil {
		return err
	}
	defer others.Release()
	return desk.KeepAnswer(s.request.Places.Root, desk.Answer{
		Account: s.request.Key, Workspace: s.scene.Workspace[0].Path, Kind: a.Kind, Target: a.Target, Rule: a.Rule, Allow: bool(allow),
	})
}
