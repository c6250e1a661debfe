package confine

import (
	"net"
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
	"swop/internal/confine/desk"
	"swop/internal/confine/mount"
	"swop/internal/disk"
)

// openDesk lets the session ask for more.
func (j *Jail) openDesk() error {
	note := func(kind string, a desk.Ask, why string) {
		a.Reason = ""
		j.note(kind, a.Text(), why)
	}
	j.desk = &desk.Desk{Giver: j, Now: j.request.Now, Note: note, Asked: j.request.Asked, Session: j.request.Resumed}
	j.request.AtEnd(j.desk.Close)
	return j.desk.Open(j.scene.Runtime, j.dir.Path, desk.Desks{Account: j.request.Key, Dir: j.request.Dir})
}

// Bounds of a session's lines in the log, so that it cannot push other events out: the number of events that programs inside cause, and the
// length of a text, of which each byte may be six in JSON.
const (
	maxTold = 150
	maxText = 500
)

// note notes an event in the log, those that programs inside cause up to maxTold. A log that cannot be written changes nothing.
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
	path, err := j.scene.allowed(a.Target)
	if err != nil {
		return a, true, err
	}
	if to := linked(filepath.Dir(path)); to != "" && filepath.Base(path) == ".git" && a.Kind == desk.KindWrite {
		path = to // .git is a file that leads there
	}
	a.Target = path
	switch {
	case a.Kind != desk.KindWrite:
	case inGit(path):
		a.Gives = "by which this command can change hooks and configuration that git runs"
	case disk.IsDir(path): // covered for the command alone
		a.Gives = "with what git and codex obey in it"
	}
	needed, err := j.scope.lacks(path, a.Kind)
	return a, needed, err
}

// allowed returns the path of the host that a path of the session names. The error is a [*Violation] where no answer of the user's can give
// the path, and does not say whether the path exists.
func (s *Scene) allowed(path string) (string, error) {
	at := filepath.Clean(path)
	if config.Within(at, s.OwnHome) { // which leads to the user's inside
		at = s.Home + strings.TrimPrefix(at, s.OwnHome)
	}
	real, err := filepath.EvalSymlinks(at)
	never := slices.Concat([]string{s.Root, s.Config, s.SharedHome, filepath.Join(s.Home, ".codex")}, s.Programs, s.Hidden)
	own := slices.ContainsFunc(never, func(own string) bool {
		return own != "" && (config.Within(real, own) || config.Within(own, real))
	})
	hidden := slices.ContainsFunc(s.Policy.Hidden, func(hidden string) bool { return config.Within(real, hidden) })
	if !filepath.IsAbs(path) || err != nil || own || hidden {
		return "", &Violation{"the path", path, "cannot be given: it is missing, hidden, swop's or codex's, or has such a path in it"}
	}
	return real, nil
}

// lacks reports whether the session can not yet read or write a path that [Scene.allowed] has returned, so that it has to be asked for; the
// error is a [*Violation] where it could not be given either.
func (s *Scope) lacks(path string, kind string) (bool, error) {
	rule, reason := s.rule(path), s.scene.forbidden(path)
	switch {
	case kind == desk.KindWrite && reason != "":
		return true, &Violation{"the path", path, reason}
	case s.source(path) == path:
		return kind == desk.KindWrite && rule.Kind != mount.Writable, nil
	case rule.Kind != mount.Composed && rule.Target != s.scene.Home && rule.Kind != mount.Readonly:
		return true, &Violation{"the path", path, "is the session's own there, not the system's"}
	}
	return true, nil
}

// Remember implements [desk.Giver].
func (j *Jail) Remember(a desk.Answer, given bool) error {
	others, err := withoutOthers(j.request.Places)
	if err != nil {
		return err
	}
	defer others.Release()
	a.Workspace = j.scene.Workspace
	return desk.StoreAnswer(j.request.Places.Root, j.request.Key, a, given)
}

// Run implements [desk.Giver]. A path in which a link has come meanwhile cannot be mounted.
func (j *Jail) Run(r desk.Request, conn *net.UnixConn, streams []int) error {
	p, scene := planOf(j.limit(), r.Dir, r.Program, r.Command, r.Env), j.scene.with(r.Target, r.Kind)
	p.Mounts = scene.Scope().sorted(r.Target)
	if r.Kind == desk.KindWrite {
		if err := j.noteWritten(r.Target); err != nil {
			return err
		}
	}
	return j.now.Beside(p, conn, streams)
}
