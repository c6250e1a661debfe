package confine

import (
	"errors"
	"net"
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
	"swop/internal/confine/desk"
	"swop/internal/confine/mount"
	"swop/internal/disk"
)

// openDesk lets the session ask for more, and for sandboxes.
func (j *Jail) openDesk() error {
	j.desk = &desk.Desk{
		Now: j.scene.Now, Note: j.note, Asked: j.scene.Asked, Look: j.look, Grant: j.grant, Run: j.run, Session: j.scene.Resumed,
	}
	j.scene.AtEnd(j.desk.Sockets.Close)
	sandboxes := func(conn *net.UnixConn) { desk.Serve(conn, j.serveSandbox) }
	return errors.Join(
		j.desk.Open(j.scene.Runtime, j.dir.Path, desk.Desks{Account: j.scene.Key, Dir: j.scene.Dir}),
		j.desk.Sockets.Listen(j.scene.Runtime, sandboxSocket, mostSandboxes, sandboxes),
	)
}

// Bounds of a session's lines in the log, so that it cannot push other events out: the number of events that programs inside cause, and the
// length of a text, of which each byte may be six in JSON.
const (
	maxTold = 150
	maxText = 500
)

// note notes an event in the log, those that programs inside cause up to maxTold. A log that cannot be written changes nothing.
func (j *Jail) note(kind string, a desk.Ask, reason string) {
	if kind != desk.Grant && kind != desk.Revoked && j.noted.Add(1) > maxTold {
		return
	}
	a.Reason = "" // it is the event's
	r, ask := &j.scene, strings.TrimSpace(a.Text())
	_ = desk.Note(r.Root, desk.Event{
		Time: r.Now().UTC(), Kind: kind, Account: r.Key, Policy: r.Policy.Mode, Dir: r.Dir,
		Ask: ask[:min(len(ask), maxText)], Reason: reason[:min(len(reason), maxText)],
	})
}

func (j *Jail) look(a desk.Ask) (desk.Ask, bool, error) {
	if a.Kind == desk.KindConnect {
		return a, !j.scene.Policy.Network.Host, nil
	}
	path, err := j.scene.allowed(a.Target, a.Kind)
	if to := linked(filepath.Dir(path)); to != "" && filepath.Base(path) == ".git" && a.Kind == desk.KindWrite {
		path, err = j.scene.allowed(to, a.Kind) // .git is a file that leads there
	}
	if err != nil {
		return a, true, err
	}
	a.Target = path
	switch {
	case a.Kind != desk.KindWrite:
	case inGit(path):
		a.Gives = "by which this command can change hooks and configuration that git runs"
	case disk.IsDir(path):
		a.Gives = "with what git and codex obey in it"
	}
	return a, j.scene.source(path) != path || a.Kind == desk.KindWrite && j.scene.rule(path).Kind != mount.Writable, nil
}

// allowed returns the path of the host that a path of the session names. The error is a [*Violation] where no answer of the user's can give
// the path. It says neither whether the path exists nor what a link says that the session does not see.
func (s *Scene) allowed(path, kind string) (string, error) {
	at := filepath.Clean(path)
	if config.Within(at, s.OwnHome) { // which leads to the user's inside
		at = s.Home + strings.TrimPrefix(at, s.OwnHome)
	}
	links, real := disk.Links(at)
	never := slices.Concat(s.Own, s.Programs, through("", s.Tokens...), s.Policy.Hidden)
	isShared := func(path string) bool { return kind == desk.KindWrite && s.disk.Has(path) }
	isNever := func(path string) bool { return s.isOwn(path) || Forbidden(path, s.Home, never, isShared) != "" }
	if !filepath.IsAbs(path) || !disk.At(real).Exists() || slices.ContainsFunc(append(links, at, real), isNever) {
		const why = "cannot be given: it is missing, hidden, the system's, swop's, codex's or the session's own, or has such a path in it"
		return "", &Violation{"the path", path, why}
	}
	return real, nil
}

// isOwn reports whether the session has something of its own at a path, or below that, in the place of the host's.
func (s *Scene) isOwn(path string) bool {
	rule := s.rule(path)
	return s.source(path) != path && rule.Kind != mount.Composed && rule.Kind != mount.Readonly && rule.Target != s.Home
}

// grant lets a path be given, and stores a grant for later sessions, or with given false removes it.
func (j *Jail) grant(a desk.Answer, lasts, given bool) error {
	others, err := withoutOthers(j.scene.Places)
	if err != nil {
		return err
	}
	defer others.Release()
	switch {
	case given && a.Kind == desk.KindWrite:
		err = j.noteWritten(a.Target)
	case given && a.Kind == desk.KindRead:
		err = j.noteObeyed(a.Target)
	}
	if err != nil || !lasts {
		return err
	}
	a.Workspace = j.scene.Workspace
	return desk.StoreAnswer(j.scene.Root, j.scene.Key, a, given)
}

// run runs a program with a grant. A path in which a link has come meanwhile cannot be mounted.
func (j *Jail) run(r desk.Request, conn *net.UnixConn, streams []int) error {
	p, scene := j.program(r.Dir, r.Program, r.Command, r.Env), j.scene.with(r.Target, r.Kind)
	scene.layOut()
	return j.now.Beside(mount.Plan{Helper: HelperPath, Program: p, Mounts: scene.mounts(r.Target)}, conn, streams)
}
