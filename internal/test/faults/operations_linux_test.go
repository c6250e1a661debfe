package faults

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// operation is a call of swop that is disturbed. $W in its arguments is the world's directory.
type operation struct {
	name  string
	start func(w *world)
	args  []string
	env   []string
	stdin string
	again []int    // what the same call may exit with when it is repeated, in addition to 0
	hint  []string // the call that completes it where the repeated one does not
	owner string   // the account whose login it may change
	turns bool     // where it was cut off decides which of two versions is in place in the end
}

// operations are those that are killed and made to fail.
var operations = []operation{
	{name: "first start", start: fresh, args: []string{"codex", "exec"}, env: []string{"SWOP_ACCOUNT=work"}},
	{name: "start", start: hard, args: []string{"codex", "exec"}, env: []string{"SWOP_ACCOUNT=work"}},
	{name: "start after copies and moves", start: otherNames, args: []string{"codex", "exec"}, env: []string{"SWOP_ACCOUNT=work"}},
	{name: "start in use", start: held, args: []string{"codex", "exec"}, env: []string{"SWOP_ACCOUNT=personal"}},
	{name: "start under a pool", start: pooled, args: []string{"codex", "exec"}, env: []string{"SWOP_ACCOUNT=@both"}},
	{name: "add", start: held, args: swop("add", "third", "--with-api-key"), stdin: "sk-kept-third\n", again: []int{5}, owner: "third"},
	{name: "add first", start: fresh, args: swop("add", "third", "--with-api-key"), stdin: "sk-kept-third\n", again: []int{5}, hint: swop("use", "third"), owner: "third"},
	{name: "add --import", start: withLogin, args: swop("add", "third", "--import", "$W/home/.codex/auth.json"), again: []int{5}, owner: "third"},
	{name: "add --from", start: withBootstrap, args: swop("add", "third", "--from", "$W/boot"), owner: "third", turns: true}, // which version of history.jsonl comes last
	{name: "add --from, private", start: withBootstrap, args: swop("add", "third", "--from", "$W/boot", "--state", "private"), owner: "third"},
	{name: "use", start: held, args: swop("use", "personal")},
	{name: "bind", start: held, args: swop("bind", "work", "$W/home/.ssh")},
	{name: "unbind", start: held, args: swop("unbind", "$W/home/proj"), again: []int{1}},
	{name: "rename", start: held, args: swop("rename", "work", "Team A"), again: []int{3}, owner: "work"},
	{name: "remove", start: held, args: swop("remove", "work", "--yes"), again: []int{3}, owner: "work"},
	{name: "list", start: held, args: swop("list")},
	{name: "doctor --shared-home", start: moved, args: swop("doctor", "--shared-home", "$W/home/elsewhere")},
	{name: "login", start: held, args: swop("login", "work", "--with-api-key", "--yes"), stdin: "sk-kept-again\n", owner: "work"},
	{name: "logout", start: held, args: swop("logout", "work", "--yes"), owner: "work"},
	{name: "install", start: shells, args: swop("install", "--prefix", "$W/prefix")},
	{name: "install, other build", start: otherBuild, args: swop("install", "--prefix", "$W/prefix")},
	{name: "uninstall", start: installed, args: swop("uninstall", "--prefix", "$W/prefix", "--yes")},
	{name: "uninstall --purge", start: installed, args: swop("uninstall", "--prefix", "$W/prefix", "--purge", "--yes"), owner: "work"},
}

func swop(args ...string) []string { return append([]string{"codex-swop"}, args...) }

// fresh is a user who has no account yet.
func fresh(*world) {}

// hard is the state that all the others build on: two accounts whose programs made conflicting changes.
func hard(w *world) {
	w.addAccounts()
	w.makeConflicts()
}

// otherNames is a session that copied, moved and swapped links: of a database, of a file that is copied in several steps, between homes.
func otherNames(w *world) {
	w.put("home/.large", "# kept large\n"+strings.Repeat("-", maxShown-100))
	w.addAccounts()
	cmd := exec.Command("sh", "-ec", `
		umask 077; cp -a .gitconfig .gitconfig.bak; cp -a .large .copy; ln .large .other
		mv .bashrc .bashrc.old; mv .tool t; mv .codex/AGENTS.md .tool; mv t .codex/AGENTS.md
		mv proj project; cp -a project project.bak; mv .ssh s; mv .codex/sessions .ssh; mv s .codex/sessions; cp -a .ssh .ssh.bak
		cp -a .codex/sessions s.bak; echo '# kept new' >.bashrc; mv .codex/state_5.sqlite .codex/state_6.sqlite`)
	cmd.Dir = w.at("home/.swop/accounts/work/home")
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("%v: %s", err, out)
	}
	testhome.Tick(w.t)
}

// held adds a process in one account, with its database open.
func held(w *world) {
	hard(w)
	w.hold("personal", heldDatabase)
}

// pooled is a user with a pool of the two accounts.
func pooled(w *world) {
	held(w)
	w.put("home/.config/swop/config.toml", "[pool.both]\naccounts = [\"work\", \"personal\"]\n")
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
	testhome.NoError(w.t, os.Rename(w.shared, w.at("home/elsewhere")))
}

// shells is a user of bash and zsh.
func shells(w *world) {
	held(w)
	w.putDotfiles()
}

// putDotfiles puts a start-up file that is a link, and one that has a second name.
func (w *world) putDotfiles() {
	w.put("home/dots/profile", "# home/.profile, kept\n")
	testhome.NoError(w.t, os.Symlink("dots/profile", w.at("home/.profile")))
	w.put("home/.zshrc", "# home/.zshrc, kept")
	testhome.NoError(w.t, os.Link(w.at("home/.zshrc"), w.at("home/other")))
}

// otherBuild is installed with programs of another build.
func otherBuild(w *world) {
	installed(w)
	for _, name := range []string{"codex", "codex-swop"} {
		file := w.at("prefix/bin/" + name)
		text, err := os.ReadFile(file)
		testhome.NoError(w.t, err)
		testhome.NoError(w.t, os.Remove(file)) // the name may be a link to the tests' own
		testhome.NoError(w.t, os.WriteFile(file, append(text, '\n'), 0o755))
	}
}

// installed is swop installed in a prefix, with its lines in the start-up files.
func installed(w *world) {
	hard(w)
	w.putDotfiles()
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

// each runs f for every operation, with -short for every sixth, two at a time where there are two processors.
func each(t *testing.T, f func(t *testing.T, o operation)) {
	for n, step := testhome.Points(t, 6); n < len(operations); n += step {
		o := operations[n]
		t.Run(strings.ReplaceAll(o.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			f(t, o)
		})
	}
}
