package confine

import (
	"io"
	"os/exec"
	"path/filepath"
	"slices"

	"swop/internal/confine/desk"
	"swop/internal/confine/mount"
	"swop/internal/session/supervise"
)

// openDesk lets the session ask for more.
func (j *Jail) openDesk() error {
	d := &desk.Desk{Giver: j, Now: j.request.Now, Note: j.noteAsk, Asked: j.tellAsked}
	j.atEnd(d.Close)
	return d.Open(j.scene.Runtime, j.dir, desk.Desks{Account: j.request.Key, Dir: j.request.Dir})
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
	if a.Kind == desk.KindConnect {
		return a, j.proxy != nil && !j.proxy.Has(a.Target), nil
	}
	path, err := j.scope.Allowed(a.Target)
	if err != nil {
		return a, true, err
	}
	if to := linked(filepath.Dir(path)); to != "" && filepath.Base(path) == ".git" && a.Kind == desk.KindWrite {
		path = to // .git is a file that leads there
	}
	a.Target = path
	if a.Kind == desk.KindWrite && (slices.Contains(components(path), ".git") || inRepository(path)) {
		a.Gives = "by which this command can change hooks and configuration that git runs"
	}
	needed, err := j.scope.Missing(path, a.Kind)
	return a, needed, err
}

// Give implements [desk.Giver].
func (j *Jail) Give(a desk.Ask) (undo func(), err error) {
	if a.Kind == desk.KindConnect {
		return j.proxy.Add(a.Target), nil
	}
	_, err = j.mountsFor(a)
	return nil, err
}

// mountsFor returns the mounts that give a path, unless it leads elsewhere than when it was asked for.
func (j *Jail) mountsFor(a desk.Ask) ([]mount.Mount, error) {
	now, _, err := j.Look(a)
	if err == nil && now.Target != a.Target {
		err = &Violation{"the path", a.Target, "leads elsewhere than when it was asked for"}
	}
	if err != nil {
		return nil, err
	}
	return j.scene.shown(a.Target, a.Kind)
}

// Keep implements [desk.Giver].
func (j *Jail) Keep(a desk.Answer, given bool) error {
	others, err := withoutOthers(j.request.Places)
	if err != nil {
		return err
	}
	defer others.Release()
	a.Account, a.Workspace = j.request.Key, j.scene.Workspace
	return desk.KeepAnswer(j.request.Places.Root, a, given)
}

// Run implements [desk.Giver].
func (j *Jail) Run(r desk.Request, streams []int) (io.ReadWriteCloser, error) {
	mounts, err := j.mountsFor(r.Ask)
	if err == nil {
		err = j.notePoints(mounts)
	}
	if err != nil {
		return nil, err
	}
	o := mount.Order{Program: HelperPath, Args: helperArgs(r.Dir, r.Program, r.Command), Env: r.Env, Mounts: mounts}
	helper, err := j.now.Beside(o, streams)
	if err != nil {
		return nil, err
	}
	if err := started(helper, supervise.Child{}, r.Program); err != nil {
		_ = helper.Close() // it has ended
		return nil, err
	}
	return helper, nil
}
