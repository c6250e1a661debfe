package confine

import (
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"swop/account"
	"swop/bridge"
	"swop/config"
	"swop/confine/desk"
	"swop/confine/mountns"
	"swop/confine/preflight"
	"swop/confine/proxy"
	"swop/confine/repository"
	"swop/confine/sharedlogin"
	"swop/disk"
	"swop/session/socket"
)

// Request is what a confined session is made for.
type Request struct {
	account.Account
	Root     account.Root
	Places   config.Places
	Settings config.Settings
	Policy   Policy

	Dir      string     // the directory that codex will work in, with links resolved
	Start    string     // the directory that it is started in
	Env      config.Env // that codex would have unconfined
	Codex    string     // the program that runs
	Programs []string   // the directories of swop's programs
	Helper   string     // codex-swop
	Visible  []string   // what codex needs to see beside the homes
	Hidden   []string   // what it must not see beside the policy's
	Bound    []string   // the directories that have an account of their own
	AuthFile []byte     // what it has in the place of the account's login, nil for that

	Ready   func() error // is called before each try to start, and fails where nothing may run
	Now     func() time.Time
	Outside config.Env          // the caller's own environment
	Asked   func(desk.Question) // tells the user of a question
	Tell    func(string)        // tells the user what came of the session
	Screen  func() bool         // reports whether a full-screen program runs, which that would spoil
	Bridges *bridge.Session     // nil for none
}

// Jail is what holds one confined session, from its preparation to its end.
type Jail struct {
	request Request
	dir     string // of the session alone
	lock    account.Lock
	login   *sharedlogin.Login
	proxy   *proxy.Proxy // nil without a list of hosts
	scene   Scene
	scope   *Scope // what the session has seen since it began
	live    live
	next    *mountns.Launch // is begun, nil for none
	filled  func() error    // waits until all is made that the program needs, nil if that has not begun
	late    []string        // what the user is told at the end
	desk    *desk.Desk
	answers []desk.Answer // that hold for it
	diary   diary
}

// Check fails with a [*preflight.Unavailable] where no session can be confined. What it finds good is remembered.
func Check(places config.Places) error {
	return preflight.Check(filepath.Join(places.Root, "confine.ok"))
}

// Prepare makes what a session needs. Its errors are a [*Violation], a [*preflight.Unavailable], or of the file system.
func Prepare(r Request) (*Jail, error) {
	s := &Jail{request: r, lock: account.Lock{Fd: -1}}
	s.diary = diary{
		root: r.Places.Root, about: Event{Account: r.Key, Policy: r.Policy.Mode, Dir: r.Dir}, now: r.Now, told: map[Event]bool{},
	}
	if err := s.prepare(); err != nil {
		return nil, errors.Join(err, s.End())
	}
	return s, nil
}

func (j *Jail) prepare() (err error) {
	r := j.request
	if err := Check(r.Places); err != nil {
		return err
	}
	if err := j.begin(); err != nil {
		return err
	}
	if err := disk.MakeDirs(r.Places.Config); err != nil { // one that is missing could be made inside
		return err
	}
	if j.answers, err = AnswersFor(r.Places.Root, r.Key, r.Dir, r.Places.Home); err != nil {
		return err
	}
	if err := j.describe(); err != nil {
		return err
	}
	if _, err := j.scene.layout(); err != nil { // before anything is made
		return err
	}
	if err := j.make(); err != nil {
		return err
	}
	if !r.Policy.Network.All {
		l, err := socket.Listen(j.scene.Runtime, proxy.Socket)
		if err != nil {
			return err
		}
		j.proxy = proxy.New(l, j.scene.Policy.Network.Hosts, func(address, why string) { j.diary.note(Blocked, "connect to "+address, why) })
	}
	j.filled = sync.OnceValue(j.fill)
	go j.filled()
	return nil
}

// describe fills in the scene, as far as nothing has to be made for it.
func (j *Jail) describe() error {
	r, c := j.request, &j.scene
	c.Policy, c.Helper, c.fixed = r.Policy, disk.Resolve(r.Helper), isFixed
	_, private := r.Settings.For(r.Key)
	var err error
	real := func(path string) string {
		if err != nil {
			return ""
		}
		path, err = filepath.EvalSymlinks(path)
		return path
	}
	c.Home, c.SandboxHome, c.SharedHome = real(r.Places.Home), real(r.Home()), real(r.Root.SharedHome.Path)
	c.Root, c.Config = real(r.Places.Root), real(r.Places.Config)
	if err != nil {
		return err
	}
	if c.mounted, err = mountns.ReadTable(); err != nil {
		return err
	}
	c.Git = repository.UserOf(c.Home, r.Outside)
	c.Programs = Real(r.Programs...)
	c.Protected = Protected(c.Home, r.Env, r.Codex)
	c.Workspace = WorkspaceOf(r.Dir, c.Home)
	c.Policy.Writable, c.Policy.Hidden = Real(c.Policy.Writable...), placesOf(c.Policy.Hidden...)
	c.Kept = slices.Concat(r.Bound, c.Policy.Writable, c.Policy.Hidden) // also what was allowed, or is writable anyway
	j.widen()
	if err := c.checkLinks(r.Policy.Writable); err != nil {
		return err
	}
	c.Hidden, c.Visible = placesOf(r.Hidden...), append(Real(r.Visible...), resolvers()...)
	if c.Policy.Sockets, err = OpenSockets(c.Policy.Sockets, r.Env); err != nil {
		return err
	}
	c.Private, err = privateEntries(c, r.Home(), private.Home)
	return err
}

// widen gives the scene what was allowed for always. What has become impossible meanwhile is not given.
func (j *Jail) widen() {
	c := &j.scene
	for _, a := range j.answers {
		real, _ := filepath.EvalSymlinks(a.Target) // "" if it is gone
		switch {
		case !a.Allow:
		case a.Kind == desk.KindConnect && !c.Policy.Network.All:
			c.Policy.Network.Hosts = append(slices.Clone(c.Policy.Network.Hosts), a.Target)
		case real != a.Target: // gone, or another one
		case a.Kind == desk.KindRead, a.Kind == desk.KindWrite && c.forbidden(real) == "":
			*c = c.with(real, desk.Access(a.Kind))
		}
	}
}

// End brings back what the session may leave, and removes the rest. It is called once.
func (j *Jail) End() error {
	var failed []error
	if j.filled != nil {
		_ = j.filled() // the start failed with it
	}
	if j.next != nil {
		failed = append(failed, j.live.control.Close()) // it waits for a plan
		if j.next.Forked() == nil {
			_, _ = j.next.First.End()
		}
	}
	if j.scene.View.Dir != "" {
		failed = append(failed, openUp(j.scene.View.Dir)) // the session may have closed it
	}
	if j.login != nil {
		failed = append(failed, j.login.Stop())
	}
	if j.proxy != nil {
		failed = append(failed, j.proxy.Close())
	}
	if j.desk != nil {
		failed = append(failed, j.desk.Close())
	}
	failed = append(failed, j.live.close())
	for _, text := range j.late {
		j.request.Tell(text)
	}
	if j.dir != "" {
		failed = append(failed, j.remove())
	}
	j.lock.Release()
	return errors.Join(failed...)
}
