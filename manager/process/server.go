package process

import (
	"path/filepath"
	"slices"
	"strings"
)

// IsServer says whether p, which is tied to an account by its CODEX_HOME, is that account's background app-server or its updater: the
// program is codex, it leads its own session, and it was started to listen on the account's socket or to update. An app-server
// that an editor or the SDK talks to over its standard streams is a session.
func (p Process) IsServer() bool {
	name := filepath.Base(p.exe)
	return p.account == codexHomeTie && p.session == p.PID &&
		(name == "codex" || strings.HasPrefix(name, "codex-")) &&
		(p.IsUpdater() || listens(p.args))
}

// IsUpdater: "app-server pid-update-loop", since 0.158 "app-server daemon pid-update-loop".
func (p Process) IsUpdater() bool {
	at := slices.Index(p.args, "app-server")
	return at > 0 && p.args[len(p.args)-1] == "pid-update-loop"
}

// listens: "[--enable remote_control] app-server --listen unix:// …".
func listens(args []string) bool {
	at := slices.Index(args, "app-server")
	if at < 1 {
		return false
	}
	after := args[at+1:]
	i := slices.Index(after, "--listen")
	return i >= 0 && i+1 < len(after) && strings.HasPrefix(after[i+1], "unix://")
}

// ServerProcesses returns the background app-servers of the account whose codex home is codexHome, and their updaters, updaters
// first. They are found by what they are, never by a pid file, which may be stale and name a stranger.
func ServerProcesses(codexHome string) ([]Process, error) {
	t, err := AccountProcesses(codexHome)
	return t.Servers(), err
}

func (t ProcessTable) Servers() []Process {
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
