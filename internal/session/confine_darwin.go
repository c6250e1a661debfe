package session

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"swop/config"
	"swop/internal/bridge"
	"swop/internal/confine"
	"swop/internal/confine/preflight"
	"swop/internal/confine/seatbelt"
	"swop/internal/disk"
	"swop/internal/say"
	"swop/internal/session/supervise"
	"swop/shim"
)

// confinedVariable has the account's key in a confined session, for a codex that is started there.
const confinedVariable = "SWOP_CONFINED"

// confine lets the program start confined. Nobody has tried that on macOS, so each session is told.
func (r *running) confine() error {
	policy := confine.New(r.Prepared.Policy, r.Settings.ConfinementOf(r.Prepared.Key), r.Invocation.Home)
	switch {
	case len(policy.Network.Hosts) > 0:
		return &preflight.Unavailable{Reason: "a list of hosts is supported on Linux only"}
	case r.login != nil:
		return &preflight.Unavailable{Reason: "a bridged login is supported on Linux only"}
	}
	temp, err := os.MkdirTemp("", "swop-")
	if err != nil {
		return err
	}
	r.atEnd(func() error { return os.RemoveAll(temp) })
	belt, err := r.scene(policy, temp)
	if err != nil {
		return err
	}
	wrapper, err := belt.Args()
	if err != nil {
		return err
	}
	r.Env = r.Env.Without(shim.OuterVariable, shim.PolicyVariable, "CODEX_SQLITE_HOME").
		With("TMPDIR", temp).With(confinedVariable, r.Prepared.Key)
	r.withoutServer()
	r.start = func(path string, args, env []string) (supervise.Child, error) {
		return supervise.Start(wrapper[0], slices.Concat(wrapper, []string{path}, args[1:]), env)
	}
	say.Line(r.call.Stderr, "this session is confined by Seatbelt, with which swop was never tried on macOS: do not rely on it")
	return nil
}

// scene returns what confines a session of this run.
func (r *running) scene(policy confine.Policy, temp string) (*seatbelt.Scene, error) {
	p, places := r.Prepared, r.Invocation.Places
	dir, err := r.Invocation.WorkDir()
	if err != nil {
		return nil, err
	}
	shimPath, err := r.call.Executable()
	if err != nil {
		return nil, err
	}
	sockets, err := confine.OpenSockets(policy.Sockets, r.Env)
	if err != nil {
		return nil, err
	}
	home := disk.Resolve(places.Home)
	policy.Writable, policy.Hidden, policy.Sockets = confine.Real(policy.Writable...), confine.Real(policy.Hidden...), confine.Real(sockets...)
	codex := cmp.Or(r.Program.Native(places, r.Env, r.Settings), r.Program.Path)
	return &seatbelt.Scene{
		Policy: policy, Home: home, Root: disk.Resolve(places.Root), Account: disk.Resolve(p.Dir),
		SharedHome: disk.Resolve(p.Root.SharedHome.Path),
		Config:     disk.Resolve(places.Config), Temp: disk.Resolve(temp), Workspace: policy.RootAt(confine.WorkspaceOf(dir, home), policy.Git),
		Programs: append(confine.Real(filepath.Dir(shimPath)), confine.Package(codex)...),
		Hidden:   confine.Real(r.hidden...), Visible: confine.Real(r.visible...), Ports: bridge.Ports(r.visible),
	}, disk.MakeDirs(places.Config)
}

// runNested is a call of codex inside a confined session: it runs in the session's account and sandbox. It reports false outside of one.
func runNested(c shim.Call) (status int, nested bool) {
	key := c.Env.Value(confinedVariable)
	if key == "" {
		return 0, false
	}
	if other, err := config.Key(c.Env.Value("SWOP_ACCOUNT")); err == nil && other != key {
		err := fmt.Errorf("this session is confined to the account %q: another one (%q) cannot be used in it", key, other)
		return c.Fail(say.WithHint(err, "run it outside of the session")), true
	}
	c.Args = bridge.LeadCodex(c.Args, c.Env)
	return c.Fail(c.PassOn(c.Env, key)), true
}

// KeepsSignals says what keeps the signals of a confined session inside.
func KeepsSignals() string { return "Seatbelt" }

// CheckConfinement returns the program that would confine a session.
func CheckConfinement() (string, error) { return seatbelt.SandboxExec, nil }
