//go:build unix

package session

import (
	"context"
	"path/filepath"
	"slices"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/account/rpc"
	"swop/internal/bridge"
	"swop/internal/confine/desk"
	"swop/internal/disk"
	"swop/internal/limits/usage"
	"swop/internal/say"
	"swop/internal/session/supervise"
	"swop/shim"
)

// openBridges opens the bridges of the session, and leads the program to them.
func (r *running) openBridges() error {
	i, p := r.Invocation, r.Prepared
	o := bridge.Options{
		Places: i.Places, Account: p.Key, Label: p.Meta.Label, Sandbox: p.Dir, AuthFile: p.AuthFile(),
		Bridges: BridgesOf(p.Settings, p.Account), Commands: p.Settings.CommandsFor(p.Key),
		Env: bridge.Undo(i.Env), Secrets: p.Settings.TokenVariables(), Now: r.call.Now,
		Helper: filepath.Join(filepath.Dir(r.shim), "codex-swop"),
	}
	if keepsLogin(&p.Settings, p.Key) {
		o.AuthFile = filepath.Join(p.BesideHome(), "auth.json") // wherever a session leads the way in its home
		i.Env = i.Env.WithoutCredentials()
		o.Codex = func(ctx context.Context, ask func(*rpc.Conversation) error) error {
			return Question(i, p, r.Program, usage.Databases(p.Account)).Talk(ctx, ask) // what sessions can write is looked up then
		}
	}
	bridges, err := bridge.Start(o)
	if err != nil {
		return err
	}
	r.atEnd(bridges.Close)
	r.visible, r.ports, r.authFile = []string{bridges.Dir()}, bridges.Ports, bridges.AuthFile()
	for _, name := range bridges.Broad() {
		say.Line(r.call.Stderr, "the token of the bridge %q is broad: GitHub lets it do all that you can; a fine-grained one can do less: %s",
			name, "https://github.com/settings/personal-access-tokens")
	}
	r.Env = bridges.Env(r.Env)
	if r.program == Codex {
		r.Args = bridge.LeadCodex(r.Args, r.Env)
	}
	return nil
}

// hasSession reports whether a confined session of the account runs.
func hasSession(acct account.Account) bool {
	return slices.ContainsFunc(desk.SessionDirs(filepath.Dir(filepath.Dir(acct.Dir)), acct.Key), bridge.Alive)
}

// BridgesOf returns the bridges of an account, for the login that it has.
func BridgesOf(settings config.Settings, acct account.Account) config.Bridges {
	kind := config.BridgeOpenAI
	if acct.Dir != "" && login.Of(acct).Mode == "chatgpt" {
		kind = config.BridgeChatGPT
	}
	return settings.BridgesFor(acct.Key, kind)
}

// inheritBridges leads the program, codex or another one, to the bridges of the session of the same account that the call comes from, and
// reports true, or away from those of another account's.
func inheritBridges(d *shim.Decision, isCodex bool) bool {
	session := d.Invocation.Session
	if session == nil || session.Key != d.Prepared.Key || !disk.SameFile(session.Root, d.Invocation.Places.Root) ||
		!bridge.Alive(d.Env.Value(bridge.DirVariable)) {
		d.Env = bridge.Undo(d.Env)
		return false
	}
	if isCodex {
		d.Args = bridge.LeadCodex(d.Args, d.Env)
	}
	return true
}

// Supervise runs the program as if it had been exec'd, with these streams: see [supervise.Run]. started is called once it has them.
func (e Errand) Supervise(streams [3]uintptr, started, end func()) (status int, err error) {
	return supervise.Run(func() (supervise.Child, error) {
		defer started()
		return supervise.StartWith(e.program.Path, e.program.Args, e.program.Env, streams)
	}, end)
}
