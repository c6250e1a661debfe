package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/account"
	"swop/internal/bridge"
	"swop/internal/confine"
	"swop/internal/confine/desk"
	"swop/internal/say"
	"swop/shim"
)

// confine lets the program start confined.
func (r *running) confine() error {
	if os.Geteuid() == 0 && r.call.Env.Value("SWOP_ALLOW_ROOT") != "1" {
		return say.WithHint(errors.New("sessions of root are not confined: root can reach the kernel"),
			"run codex as an ordinary user, or accept it with SWOP_ALLOW_ROOT=1")
	}
	request, err := r.confinement()
	if err != nil {
		return err
	}
	inside, err := confine.Prepare(request)
	if v, ok := errors.AsType[*confine.Violation](err); ok && v.What == "the workspace" {
		return say.WithHint(err, "cd to the directory of a project")
	}
	if err != nil {
		return err
	}
	r.Env = inside.Env(r.Env)
	if r.program == Codex {
		r.Args = slices.Concat(r.Args[:1], inside.Arguments(), r.Args[1:])
	}
	r.start = inside.Start
	return nil
}

// confinement returns the request for the confined session.
func (r *running) confinement() (q confine.Request, err error) {
	p, places := r.Prepared, r.Invocation.Places
	dir, err := r.Invocation.WorkDir()
	if err != nil {
		return q, err
	}
	start, err := unix.Getwd()
	if err != nil { // it was removed, and another one is named
		start = dir
	}
	named := r.Invocation.Shown(dir)
	policy := confine.New(r.Prepared.Policy, r.Settings.ConfinementOf(p.Key), places.Home)
	toServer := r.program == Codex && shim.LogsInToServer(r.Args)
	if toServer { // by a browser that calls back, with this machine's network: so it runs no program that a session can have left
		r.Env = account.Outside(r.Env, places).Without("XDG_CONFIG_HOME", "XDG_DATA_HOME")
		policy.Mode, policy.Network = config.ConfineReadOnly, config.Network{Host: true}
		dir, start, named = "/", "/", "/" // codex takes servers of a project, too
	}
	codex, _ := r.Program.Launch(&r.Invocation.Places, []string{"codex"}, r.Env, r.Settings.Launch)
	return confine.Request{
		Account: p.Account, Places: places, SharedHome: p.Root.SharedHome.Path,
		Policy: policy, CredentialsOnly: toServer,
		Dir: dir, Named: named, Start: start, Env: r.Env, Codex: codex.Path,
		Helper: filepath.Join(filepath.Dir(r.shim), "codex-swop"),
		Tokens: r.Settings.TokenFiles(r.Invocation.Home), Now: r.call.Now,
		Visible: r.visible, Ports: r.ports, AuthFile: r.authFile,
		Resumed: shim.Resumed(r.Args), AtEnd: r.atEnd,
		Asked: r.sayAsked,
		Tell:  func(text string) { say.Line(r.call.Stderr, "%s", text) },
	}, nil
}

// sayAsked tells the user of a question where that spoils no full-screen program. The answer comes from another terminal: programs inside
// write to this one, and could change the text that the user reads.
func (r *running) sayAsked(q desk.Question) {
	mode, err := unix.IoctlGetTermios(2, unix.TCGETS)
	if err == nil && mode.Lflag&unix.ICANON == 0 { // some program reads this terminal key by key
		return
	}
	say.Line(r.call.Stderr, "the confined session asks to %s", q.Text())
	say.Line(r.call.Stderr, "hint: answer in another terminal: codex swop allow")
}

// runNested is a call of codex inside a confined session, which runs in the session's account. It reports false outside of one.
func runNested(c shim.Call) (status int, nested bool) {
	in, err := confine.ReadInside()
	if err != nil {
		return 0, false
	}
	if label := c.Env.Value("SWOP_ACCOUNT"); label != "" {
		if key, err := config.Key(label); err != nil || key != in.Key {
			err := fmt.Errorf("this session is confined to the account %q: another one (%q) cannot be used in it", in.Label, label)
			return c.Fail(say.WithHint(err, "run it outside of the session")), true
		}
	}
	env := c.Env.Without(shim.OuterVariable, shim.PolicyVariable).With("CODEX_HOME", in.CodexHome)
	c.Args = bridge.LeadCodex(c.Args, env)
	a := account.Account{Key: in.Key, Dir: filepath.Dir(filepath.Dir(in.CodexHome))}
	a.Meta.Label, a.Meta.State = in.Label, account.StatePrivate
	return c.Fail(c.PassOn(&Reader{}, shim.Prepared{Account: a}, env)), true
}
