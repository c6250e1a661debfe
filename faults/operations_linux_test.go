package faults

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// operation is a call of swop that is disturbed. $W in its arguments is the world's directory.
type operation struct {
	name  string
	start func(w *world)
	args  []string
	env   []string
	stdin string
	again []int  // what the same call may exit with once it was done, besides 0
	owner string // the account whose login it may change
}

// operations are all whose kills and errors are tried.
var operations = []operation{
	{name: "first start", start: fresh, args: []string{"codex", "exec"}, env: []string{"SWOP_ACCOUNT=work"}},
	{name: "start", start: hard, args: []string{"codex", "exec"}, env: []string{"SWOP_ACCOUNT=work"}},
	{name: "start in use", start: held, args: []string{"codex", "exec"}, env: []string{"SWOP_ACCOUNT=personal"}},
	{name: "add", start: held, args: swop("add", "third", "--with-api-key"), stdin: "sk-kept-third\n", again: []int{5}, owner: "third"},
	{name: "add first", start: fresh, args: swop("add", "third", "--with-api-key"), stdin: "sk-kept-third\n", again: []int{5}, owner: "third"},
	{name: "add --import", start: withLogin, args: swop("add", "third", "--import", "$W/home/.codex/auth.json"), again: []int{5}, owner: "third"},
	{name: "add --from", start: withBootstrap, args: swop("add", "third", "--from", "$W/boot"), owner: "third"},
	{name: "add --from, private", start: withBootstrap, args: swop("add", "third", "--from", "$W/boot", "--state", "private"), owner: "third"},
	{name: "use", start: held, args: swop("use", "personal")},
	{name: "bind", start: held, args: swop("bind", "work", "$W/home/.ssh")},
	{name: "unbind", start: held, args: swop("unbind", "$W/home/proj"), again: []int{1}},
	{name: "rename", start: held, args: swop("rename", "work", "Team A"), again: []int{3}, owner: "work"},
	{name: "remove", start: held, args: swop("remove", "work", "--yes"), again: []int{3}, owner: "work"},
	{name: "sync", start: held, args: swop("sync")},
	{name: "sync --share", start: held, args: swop("sync", "work", "--share", "own.local.toml"), again: []int{1}},
	{name: "sync --shared-home", start: moved, args: swop("sync", "--shared-home", "$W/home/elsewhere")},
	{name: "sync --prune", start: hard, args: swop("sync", "--displaced", "--prune", "--yes")},
	{name: "login", start: held, args: swop("login", "work", "--with-api-key"), stdin: "sk-kept-anew\n", owner: "work"},
	{name: "logout", start: held, args: swop("logout", "work"), owner: "work"},
	{name: "install", start: held, args: swop("install", "--prefix", "$W/prefix")},
	{name: "uninstall", start: installed, args: swop("uninstall", "--prefix", "$W/prefix")},
	{name: "uninstall --purge", start: installed, args: swop("uninstall", "--prefix", "$W/prefix", "--purge", "--yes"), owner: "work"},
}

func swop(args ...string) []string { return append([]string{"codex-swop"}, args...) }

// fresh is a user who has no account yet.
func fresh(*world) {}

// hard is the state that all the others have too: two accounts whose programs made a muddle.
func hard(w *world) {
	w.addAccounts()
	w.muddle()
}

// held is a process in one account, with its database open.
func held(w *world) {
	hard(w)
	w.hold("personal", heldDatabase)
}

// withLogin is a user who logged in without swop.
func withLogin(w *world) {
	held(w)
	w.put("home/.codex/auth.json", authOf("third"))
}

// withBootstrap is a codex home that another program set up.
func withBootstrap(w *world) {
	held(w)
	w.put("boot/auth.json", authOf("third"))
	for _, name := range []string{
		"sessions/2026/shared.jsonl", "sessions/one.jsonl", "archived_sessions/two.jsonl", "history.jsonl", "log/codex.log", "state_5.sqlite", "state_5.sqlite-wal",
		"memories_1.sqlite", ".sandbox/setup_marker.json", "config.toml", "skills/s/SKILL.md",
	} {
		w.keep("boot/" + name)
	}
}

// moved is a shared home that its user has moved.
func moved(w *world) {
	hard(w)
	noError(w.t, os.Rename(w.shared, w.at("home/elsewhere")))
}

// installed is swop in a prefix, with its lines in the start-up files.
func installed(w *world) {
	hard(w)
	r := w.run(w.command("", nil, "codex-swop", "install", "--prefix", w.at("prefix")))
	if r.Status != 0 {
		w.t.Fatalf("install: %+v", r)
	}
}

// in returns the operation's command in a world.
func (o operation) in(w *world) Command {
	here := func(list []string) []string {
		list = slices.Clone(list)
		for i := range list {
			list[i] = strings.ReplaceAll(list[i], "$W", w.dir)
		}
		return list
	}
	return w.command(o.stdin, here(o.env), here(o.args)...)
}

// each runs f for every operation, two at a time where there are two processors.
func each(t *testing.T, f func(t *testing.T, o operation)) {
	for _, o := range operations {
		t.Run(strings.ReplaceAll(o.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			f(t, o)
		})
	}
}
