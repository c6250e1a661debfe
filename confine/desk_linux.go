package confine

import (
	"errors"
	"os/exec"
	"path/filepath"
	"slices"

	"swop/config"
	"swop/confine/desk"
	"swop/confine/repository"
)

// openDesk lets the session ask for more.
func (j *Jail) openDesk() error {
	j.desk = &desk.Desk{Giver: j, Now: j.request.Now, Note: j.noteAsk, Asked: j.tellAsked}
	for _, a := range j.answers {
		if !a.Allow {
			j.desk.Deny(a)
		}
	}
	return j.desk.Open(j.scene.Runtime, j.dir, desk.Desks{Account: j.request.Key, Dir: j.request.Dir})
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
func (j *Jail) Look(a desk.Ask) (desk.Ask, bool, error) {
	switch a.Kind {
	case desk.KindConnect:
		return a, j.proxy != nil && !j.proxy.Has(a.Target), nil
	case desk.KindBridge:
		if j.request.Bridges == nil {
			return a, true, errors.New("the session has no bridge")
		}
		missing, err := j.request.Bridges.Widens(a.Target, a.Rule)
		return a, missing, err
	}
	a, needed, err := j.lookAtPath(a)
	return a, needed && (err != nil || !j.has(a.Target, desk.Access(a.Kind))), err
}

func (j *Jail) lookAtPath(a desk.Ask) (desk.Ask, bool, error) {
	path, err := j.scope.Allowed(a.Target)
	if err != nil {
		return a, true, err
	}
	if linked := repository.Linked(filepath.Dir(path)); linked != "" && filepath.Base(path) == ".git" && a.Kind == desk.KindWrite {
		path = linked // .git is a file that leads there
	}
	a.Target = path
	needed, err := j.scope.Missing(path, desk.Access(a.Kind))
	return a, needed, err
}

// has reports whether what was given, and not just for one command, holds a path.
func (j *Jail) has(path string, to desk.Access) bool {
	return slices.ContainsFunc(j.desk.List(), func(e desk.Question) bool {
		return e.State == desk.Granted && e.How != desk.Once && config.Within(path, e.Target) && (e.Kind == desk.KindWrite || e.Kind == string(to) && to == desk.ToRead)
	})
}

// Give implements [desk.Giver].
func (j *Jail) Give(id string, a desk.Ask) (undo func() error, err error) {
	switch a.Kind {
	case desk.KindConnect:
		return j.proxy.Add(a.Target), nil
	case desk.KindBridge:
		return j.request.Bridges.Widen(a.Target, a.Rule)
	}
	now, _, err := j.lookAtPath(a)
	if err == nil && now.Target != a.Target {
		err = &Violation{"the path", a.Target, "leads elsewhere than when it was asked for"}
	}
	if err != nil {
		return nil, err
	}
	if err := j.show(id, a.Target, desk.Access(a.Kind)); err != nil {
		return nil, err
	}
	return func() error { return j.unshow(id) }, nil
}

// Keep implements [desk.Giver].
func (j *Jail) Keep(a desk.Answer) error {
	others, err := withoutOthers(j.request.Places)
	if err != nil {
		return err
	}
	defer others.Release()
	a.Account, a.Workspace = j.request.Key, j.scene.Workspace
	return desk.KeepAnswer(j.request.Places.Root, a)
}
