//go:build unix

package confined

import (
	"cmp"
	"path/filepath"
	"slices"
	"syscall"

	"swop/account/rpc"
	"swop/bridge"
	"swop/config"
	"swop/manager/verb"
	"swop/say"
	"swop/session"
	"swop/shim"
)

// serveLogin serves the login of an account by a socket in a directory, until a signal ends it.
func serveLogin(call *verb.Call, label, dir string) error {
	s, err := call.Look()
	if err != nil {
		return err
	}
	ctx, stop := verb.UntilSignal(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	return serving(s, label, "", func(b *bridge.Session) error {
		if dir, err = filepath.Abs(dir); err != nil {
			return err
		}
		if err := b.ServeIn(dir, bridge.Most{}); err != nil {
			return err
		}
		say.Line(call.Stderr, "serving the login of %q in %s until this ends", label, dir)
		<-ctx.Done()
		return stop()
	})
}

// serving calls do with the bridge of an account's login, for another machine's host, or "". The account is held meanwhile.
func serving(s verb.Setup, label, host string, do func(*bridge.Session) error) error {
	acct, l, err := s.Hold(label)
	if err != nil {
		return err
	}
	defer l.Release()
	codex, err := s.Codex()
	if err != nil {
		return err
	}
	own := s.Settings.Accounts[acct.Key]
	own.Login = cmp.Or(own.Login, config.LoginBridged)
	p := shim.Prepared{Account: acct, Root: s.Root, Settings: s.Settings.With(acct.Key, own)}
	o := session.BridgeOptions(s.Invocation, p, s.Call.Now)
	o.Host, o.Far, o.Codex = host, true, func() rpc.Program { return session.AskCodex(s.Invocation, p, codex, s.Shim()) }
	o.Bridges = slices.DeleteFunc(o.Bridges, func(b config.Bridge) bool { return !b.IsLogin() })
	if err := session.CheckLogin(p, o.Bridges); err != nil {
		return err
	}
	b, err := bridge.Start(o)
	if err != nil {
		return err
	}
	defer b.Close()
	return do(b)
}
