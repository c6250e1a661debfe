//go:build linux

package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"swop/internal/test/e2e/responses"
	"swop/internal/test/testhome"
)

func (tr trial) checkTUI() {
	for label, key := range keys {
		tr.talk(label, key, "<typed by "+label+">")
	}
	var text []byte
	if !eventually(tr.t, "what was typed in the history", func() bool { // the server, which outlives the interface, may write it later
		var err error
		text, err = os.ReadFile(filepath.Join(tr.shared(), "history.jsonl"))
		missing := func(label string) bool { return !strings.Contains(string(text), "<typed by "+label+">") }
		return err == nil && !slices.ContainsFunc(slices.Collect(maps.Keys(keys)), missing)
	}) {
		tr.t.Errorf("the history of ~/.codex is %q, want the prompts of both accounts in it", text)
	}
}

// talk runs a session in a terminal, which must send the account's bearer.
func (tr trial) talk(label, key, prompt string) {
	tr.t.Helper()
	before := len(tr.model.Requests())
	w := tr.openTerminal("codex -m test-model", "SWOP_ACCOUNT="+label)
	w.await(tr.prompt())
	w.ask(prompt)
	tr.turn(prompt)
	w.await(responses.Reply)
	if got := w.quit(); got != "0" {
		tr.t.Errorf("the TUI of %s exits %q, want %q", label, got, "0")
	}
	w.close()
	tr.sends(before, prompt, key)
}

func (tr trial) checkServer() {
	testhome.Needs(tr.t, "tmux")
	if tr.ownsSocket() {
		tr = tr.shortened()
	}
	if !tr.startsServer() {
		defer tr.serve("work")()
	}
	server := tr.listening("work") // that of 0.158 and later runs since checkTUI
	if len(server) == 0 {
		tr.t.Fatal("no server of work runs")
	}
	for range 2 { // a new entry of a sandbox is shared at the second reconcile: a control socket must not be
		tr.ok(tr.swop("doctor", "--fix"))
	}
	tr.talk("personal", personalLogin, "<beside the server of work>")
	tr.talk("work", workLogin, "<at the server of work>")
	if got := tr.listening("work"); !slices.Equal(got, server) {
		tr.t.Errorf("servers of work: %v, want %v, running on", got, server)
	}
}

// serve runs a background server of the account, as its terminal interface would attach to. Releases from npm that do not start one by
// themselves have no `daemon start` either.
func (tr trial) serve(label string) (stop func()) {
	tr.t.Helper()
	c := tr.start(tr.codex("app-server", "--listen", "unix://").as(label))
	socket := filepath.Join(tr.sandbox(label), "app-server-control", "app-server-control.sock")
	eventually(tr.t, "the socket of the server", func() bool {
		_, err := os.Stat(socket)
		return err == nil
	})
	return func() {
		reap(tr.t, tr.sandbox(label))
		tr.finish(c)
	}
}

// shortened returns a user whose sandboxes have paths short enough for a socket.
func (tr trial) shortened() trial {
	tr.t.Helper()
	root, err := os.MkdirTemp("/var/tmp", "swop-")
	testhome.NoError(tr.t, err)
	tr.t.Cleanup(func() {
		reap(tr.t, root)
		testhome.NoError(tr.t, os.RemoveAll(root))
	})
	short := makeTrial(tr.t, tr.release, tr.programs, freshHome(tr.t, "home-"))
	short.root = root
	short.env = append(short.env, "SWOP_ROOT="+root)
	short.addBoth()
	return short
}

// sends fails unless all requests but the first before bear this login. A background server of another account may ask on its own
// meanwhile, as for the title of a session that is over, but never with this prompt.
func (u *user) sends(before int, prompt, login string) {
	u.t.Helper()
	for _, r := range u.model.Requests()[before:] {
		if r.Bearer != login && (r.Asks(prompt) || !u.isServed(r.Bearer)) {
			u.t.Errorf("%s %s bears %q, want %q: %s", r.Method, r.Path, r.Bearer, login, r.Body)
		}
	}
}

// isServed reports whether a background server of the account with this login runs.
func (u *user) isServed(login string) bool {
	for label, key := range keys {
		if key == login {
			return len(u.listening(label)) > 0
		}
	}
	return false
}

// listening are the background servers of the account: not their updater, and not what a server runs for a moment.
func (u *user) listening(key string) []int {
	u.t.Helper()
	pids := slices.DeleteFunc(processes(u.t, u.sandbox(key)), func(pid int) bool {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		return err != nil || !strings.Contains(string(line), "\x00app-server\x00--listen\x00")
	})
	slices.Sort(pids)
	return pids
}
