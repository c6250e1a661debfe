package confine

import (
	"net"
	"path/filepath"

	"swop/internal/confine/desk"
	"swop/internal/confine/mount"
)

// openDesk lets the session ask for more.
func (j *Jail) openDesk() error {
	note := func(kind string, a desk.Ask, why string) {
		a.Reason = ""
		j.note(kind, a.Text(), why)
	}
	j.desk = &desk.Desk{Giver: j, Now: j.request.Now, Note: note, Asked: j.request.Asked, Session: j.request.Resumed}
	j.atEnd(j.desk.Close)
	return j.desk.Open(j.scene.Runtime, j.dir, desk.Desks{Account: j.request.Key, Dir: j.request.Dir})
}

// What a session has in the log at most, so that it cannot push other events out: this many events that a program inside causes, and this
// much of a text, of which each byte may be six in JSON.
const (
	maxTold = 150
	maxText = 500
)

// note notes an event, what a program inside can cause until there is too much of it. A log that cannot be written changes nothing.
func (j *Jail) note(kind, ask, reason string) {
	if kind != desk.Grant && kind != desk.Revoked && j.noted.Add(1) > maxTold {
		return
	}
	r := &j.request
	_ = desk.Note(r.Places.Root, desk.Event{
		Time: r.Now().UTC(), Kind: kind, Account: r.Key, Policy: r.Policy.Mode, Dir: r.Dir,
		Ask: ask[:min(len(ask), maxText)], Reason: reason[:min(len(reason), maxText)],
	})
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
	if a.Kind == desk.KindWrite && inGit(path) {
		a.Gives = "by which this command can change hooks and configuration that git runs"
	}
	needed, err := j.scope.Missing(path, a.Kind)
	return a, needed, err
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
	a.Workspace = j.scene.Workspace
	return desk.KeepAnswer(j.request.Places.Root, j.request.Key, a, given)
}

// Run implements [desk.Giver].
func (j *Jail) Run(r desk.Request, conn *net.UnixConn, streams []int) error {
	p := planOf(j.views(), r.Dir, r.Program, r.Command, r.Env)
	var err error
	if p.Mounts, err = j.mountsFor(r.Ask); err == nil && r.Kind == desk.KindWrite {
		err = j.noteWritten([]string{r.Target})
	}
	if err != nil {
		return err
	}
	return j.now.Beside(p, conn, streams)
}
