package process

import (
	"strings"
	"testing"
)

func TestIsServer(t *testing.T) {
	const codex = "/opt/codex/bin/codex"
	is := func(line string) Process {
		return Process{PID: 5, session: 5, exe: codex, args: strings.Fields(line), account: codexHomeTie}
	}
	for line, want := range map[string]bool{
		"codex app-server --listen unix://":                                              true, // 0.132, 0.144.6
		"codex app-server --listen unix:// --managed-daemon":                             true, // 0.155
		"codex app-server --listen unix:// --analytics-default-enabled --managed-daemon": true, // 0.169
		"codex --enable remote_control app-server --listen unix://":                      true,
		"codex app-server pid-update-loop":                                               true,
		"codex app-server daemon pid-update-loop":                                        true,
		"codex app-server":                         false, // an editor's
		"codex app-server --listen stdio://":       false,
		"codex app-server --listen":                false,
		"codex app-server --listen ws://127.0.0.1": false,
		"codex app-server daemon stop":             false,
		"codex exec app-server":                    false,
		"codex":                                    false,
		"app-server --listen unix://":              false,
		"":                                         false,
	} {
		if got := is(line).IsServer(); got != want {
			t.Errorf("isServer of %q = %v, want %v", line, got, want)
		}
	}
	for name, change := range map[string]func(*Process){
		"home only": func(p *Process) { p.account = homeTie },
		"foreign":   func(p *Process) { p.account = noTie },
		"no leader": func(p *Process) { p.session = 4 },
		"program":   func(p *Process) { p.exe = "/usr/bin/node" },
		"unknown":   func(p *Process) { p.exe = "" },
	} {
		p := is("codex app-server --listen unix://")
		change(&p)
		if p.IsServer() {
			t.Errorf("isServer of one with another %s = true", name)
		}
	}
}
