package process

import (
	"path/filepath"
	"slices"
	"strings"
)

// IsServer reports whether p is the background app-server of the account that its CODEX_HOME ties it to, or that server's updater: the
// program is codex, it leads its own session, and it was started to listen on the account's socket or to update. An app-server that an
// editor or the SDK talks to over its standard streams is a session.
func (p Process) IsServer() bool {
	name := filepath.Base(p.exe)
	return p.account == codexHomeTie && p.session == p.PID &&
		(name == "codex" || strings.HasPrefix(name, "codex-")) &&
		(p.IsUpdater() || listens(p.args))
}

// IsUpdater reports whether p's arguments are "app-server pid-update-loop", or since 0.158 "app-server daemon pid-update-loop".
func (p Process) IsUpdater() bool {
	at := slices.Index(p.args, "app-server")
	return at > 0 && p.args[len(p.args)-1] == "pid-update-loop"
}

// listens reports whether the arguments are like "[--enable remote_control] app-server --listen unix:// …".
func listens(args []string) bool {
	at := slices.Index(args, "app-server")
	if at < 1 {
		return false
	}
	after := args[at+1:]
	i := slices.Index(after, "--listen")
	return i >= 0 && i+1 < len(after) && strings.HasPrefix(after[i+1], "unix://")
}

// Servers returns the background app-servers of the account whose codex home is codexHome, and their updaters, updaters first. They
// are recognized by what they are, never by a pid file, which may be stale and name an unrelated process.
func Servers(codexHome string) ([]Process, error) {
	t, err := OfAccount(codexHome)
	return t.Servers(), err
}

// Servers returns the background app-servers and updaters of the account whose processes the table tells, updaters first.
func (t Table) Servers() []Process {
	var list []Process
	for _, p := range t {
		if p.IsServer() {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b Process) int {
		if a.IsUpdater() != b.IsUpdater() {
			if a.IsUpdater() {
				return -1
			}
			return 1
		}
		return a.PID - b.PID
	})
	return list
}

// TurnCommand returns a command of a turn, or of one that is over, that runs below the server, and whether there is one.
func (t Table) TurnCommand(server Process) (Process, bool) {
	for _, p := range t {
		if p.env.thread != "" && t.descends(p.PID, server.PID) {
			return p, true
		}
	}
	return Process{}, false
}
