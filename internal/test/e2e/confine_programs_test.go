//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/testhome"
)

// stdioServer is an MCP server without tools. Its first argument is a log of its starts; with a second one it notes there whether it can
// read that file, another account's login.
const stdioServer = `const fs = require('fs');
let saw = 'mcp';
if (process.argv[3]) try { fs.readFileSync(process.argv[3]); saw = 'a login'; } catch { saw = 'nothing'; }
fs.appendFileSync(process.argv[2], saw + '\n');
require('readline').createInterface({input: process.stdin}).on('line', line => {
  const m = JSON.parse(line);
  if (m.id === undefined) return;
  const result = m.method === 'initialize'
    ? {protocolVersion: m.params.protocolVersion, capabilities: {tools: {}}, serverInfo: {name: 'logger', version: '1'}}
    : {tools: []};
  process.stdout.write(JSON.stringify({jsonrpc: '2.0', id: m.id, result}) + '\n');
}).on('close', () => process.exit(0));
`

// checkConfinedMCP: an MCP server that codex starts is confined as codex is; unconfined it reads the other account's login.
func (tr trial) checkConfinedMCP() {
	log, server := filepath.Join(tr.work, "log"), filepath.Join(tr.work, "server.js")
	tr.write("work/server.js", stdioServer)
	other := filepath.Join(tr.sandbox("personal"), "auth.json")
	tr.write(".codex/config.toml", tr.config()+fmt.Sprintf("\n[mcp_servers.logger]\ncommand = 'node'\nargs = ['%s', '%s', '%s']\n", server,
		log, other))
	defer tr.write(".codex/config.toml", tr.config())
	tr.ok(tr.exec("with a server").as("work"))
	tr.ok(tr.exec("with a server, unconfined").as("personal"))
	if got := testhome.TextOf(log); got != "nothing\na login\n" {
		tr.t.Errorf("the server sees %q, first confined and then not", got)
	}
}

// checkConfinedServer: an editor talks to a confined app-server over its standard streams.
func (tr trial) checkConfinedServer() {
	tr.env = append(tr.env, "SWOP_ACCOUNT=work")
	tr.model.Call(`cat "` + filepath.Join(tr.sandbox("personal"), "auth.json") + `" || echo "refused-$((40+2))"`)
	tr.serves(filepath.Join(tr.programs.swop, "codex"), "an editor's prompt")
	turn := tr.turn("an editor's prompt")
	if turn.Bearer != workLogin {
		tr.t.Errorf("the editor's codex sends %q", turn.Bearer)
	}
	tr.turn("refused-42")
}

// checkBundled: where the system has no bubblewrap, codex makes its own sandbox in a session with the one that the release brings.
func (tr trial) checkBundled() {
	defer tr.write(".profile", testhome.TextOf(filepath.Join(tr.home, ".profile")))
	tr.withoutBwrap()
	tr.tryConfined([]string{"--dangerously-bypass-approvals-and-sandbox"},
		[]string{"other: no", "workspace: yes", "home: no", "process: no", "commit: no"})
	tr.tryConfined([]string{"-s", "workspace-write"}, []string{"other: no", "workspace: yes", "home: no"})
}

// withoutBwrap takes the system's bubblewrap from PATH, and leaves all else there.
func (tr *trial) withoutBwrap() {
	tr.t.Helper()
	tools := filepath.Join(tr.home, "tools")
	testhome.NoError(tr.t, os.Mkdir(tools, 0o755))
	for _, dir := range []string{"/usr/bin", "/bin"} {
		entries, err := os.ReadDir(dir)
		testhome.NoError(tr.t, err)
		for _, entry := range entries {
			if entry.Name() != "bwrap" {
				_ = os.Symlink(filepath.Join(dir, entry.Name()), filepath.Join(tools, entry.Name())) // the first one counts
			}
		}
	}
	path := strings.Join([]string{tr.programs.swop, tr.programs.real, tools}, ":")
	tr.env = append(tr.env, "PATH="+path)
	tr.write(".profile", "PATH="+path+"\n")
}

// TestConfinedJob: in a terminal a confined program is a job as any other: keys reach it once, it stops and goes on, and it sees the
// window's size.
func TestConfinedJob(t *testing.T) {
	tr := newConfinedTrial(t, realcodex.Version)
	script := "trap 'n=$((n+1)); echo int-$n' INT; trap 'echo size-$(stty size | tr \" \" x)' WINCH; echo ready-$((40+2)); while read " +
		"line; do echo read-$line; done; exit 5"
	tr.write("work/job.sh", script)
	w := tr.openTerminal("PS1='prompt> ' bash --norc --noprofile -i", "SWOP_ACCOUNT=work")
	w.await("prompt>")
	w.ask("codex swop run work -- bash job.sh; echo status-$?")
	w.await("ready-42")
	w.tmux("send-keys", "C-c")
	w.await("int-1")
	w.ask("words")
	w.await("read-words")
	w.tmux("send-keys", "C-z")
	w.await("Stopped")
	w.ask("fg; echo ended-$?")
	eventually(t, "the job to read again", func() bool { // the shell drops what is typed before it has given the terminal away
		w.ask("again")
		return strings.Contains(w.tmux("capture-pane", "-p"), "read-again")
	})
	w.tmux("resize-window", "-x", "91", "-y", "27")
	w.ask("and") // ends a read, before which bash runs no trap
	w.await("size-27x91")
	w.tmux("send-keys", "C-c")
	w.await("int-2")
	w.tmux("send-keys", "C-d")
	w.await("ended-5")
	w.ask("exit 3")
	if got := w.wait(); got != "3" {
		t.Errorf("the shell exits %q", got)
	}
}
