//go:build unix

package confined

import (
	"fmt"
	"path/filepath"
	"slices"
	"syscall"

	"swop/account/login"
	"swop/account/rpc"
	"swop/bridge"
	"swop/config"
	"swop/manager/verb"
	"swop/say"
	"swop/session"
	"swop/shim"
)

// serveLogin serves the login of an account by sockets in a directory, until a signal ends it.
func serveLogin(call *verb.Call, label, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	o, end, err := servedOptions(call, label)
	if err != nil {
		return err
	}
	defer end()
	s, err := bridge.Start(o)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.ServeLogin(dir, bridge.Most{}); err != nil {
		return err
	}
	ctx, stop := verb.UntilSignal(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	say.Line(call.Stderr, "serving the login of %q in %s until this ends", o.Label, dir)
	<-ctx.Done()
	return stop()
}

// servedOptions are what the bridge of an account's login works with for others than its sessions. The account is held until end is called.
func servedOptions(call *verb.Call, label string) (o bridge.Options, end func(), err error) {
	s, err := call.Look()
	if err != nil {
		return o, nil, err
	}
	acct, l, err := s.Hold(label)
	if err != nil {
		return o, nil, err
	}
	p := shim.Prepared{Account: acct, Root: s.Root, Settings: s.Settings}
	o = session.BridgeOptions(s.Invocation, p, call.Now)
	if o.Bridges, err = loginBridges(s, p); err == nil {
		codex, missing := s.Codex()
		if err = missing; err == nil {
			o.Far, o.Codex = true, func() rpc.Program { return session.AskCodex(s.Invocation, p, codex) }
			return o, l.Release, nil
		}
	}
	l.Release()
	return o, nil, err
}

// loginBridges returns the bridge of the account's login: the one that config.toml has for it, or else the usual one.
func loginBridges(s verb.Setup, p shim.Prepared) (config.Bridges, error) {
	label := p.Meta.Label
	all := session.BridgesOf(s.Settings, p.Account)
	if at := slices.IndexFunc(all, func(b config.Bridge) bool { return b.IsLogin() }); at >= 0 {
		if all[at].Kind == config.BridgeServed {
			return nil, fmt.Errorf("another swop has the login of %q: it can be served there", label)
		}
		return all[at : at+1], nil
	}
	switch mode := login.Of(p.Account, s.Root.SharedHome.Path).Mode; mode {
	case "chatgpt":
		return config.Bridges{config.LoginBridge(config.BridgeChatGPT)}, nil
	case "api-key":
		return config.Bridges{config.LoginBridge(config.BridgeOpenAI)}, nil
	case "keyring":
		return nil, fmt.Errorf("the login of %q is in the keyring, from where it cannot be served", label)
	default:
		return nil, say.WithHint(fmt.Errorf("account %q has no login", label), "codex swop login "+say.ShellQuote(label))
	}
}
