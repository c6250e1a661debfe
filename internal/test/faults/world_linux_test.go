package faults

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/store"
	"swop/internal/home"
	"swop/internal/test/testbuild"
	"swop/internal/test/testhome"
)

// world is a user with accounts, in the hard state that every operation begins with. It is written by hand: the tests need thousands of
// worlds, and swop would take too long to make them.
type world struct {
	t       testing.TB
	dir     string // everything else is below it
	home    string
	shared  string
	store   store.Store
	root    account.Root
	path    string // PATH
	holder  int    // the process that holds a database
	release func() // ends it
}

// built returns the directory with swop's programs in bin/ and the fake codex in fake/, made at the first call.
var built = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "swop-faults-"); err != nil {
		return "", err
	}
	buildDir = dir
	return dir, errors.Join(testbuild.Programs(filepath.Join(dir, "bin")), testbuild.Fake(dir, fakeCodex))
})

var buildDir string

// fakeCodex is the real codex as far as the operations need it: it logs in as releases up to 0.166 do, in place.
const fakeCodex = `#!/bin/sh
auth=${CODEX_HOME:-$HOME/.codex}/auth.json
case "${1-} ${2-}" in
"login --with-api-key") umask 077; read -r key; printf '{"OPENAI_API_KEY":"%s"}' "$key" > "$auth" ;;
"logout ") rm -f "$auth" ;;
"exec ") echo "account ${SWOP_ACCOUNT-none}" ;;
*) echo "unexpected: $*" >&2; exit 99 ;;
esac
`

// newWorld makes the home of a user who has no swop yet.
func newWorld(t testing.TB, dir string) *world {
	programs, err := built()
	testhome.NoError(t, err)
	w := &world{t: t, dir: dir, home: filepath.Join(dir, "home"), release: func() {}}
	w.shared = filepath.Join(w.home, ".codex")
	w.store = store.Store{Layout: account.Layout{Places: config.Places{
		Home: w.home, Root: filepath.Join(w.home, ".swop"),
		Config: filepath.Join(w.home, ".config", "swop"),
	}}}
	w.path = strings.Join([]string{filepath.Join(programs, "bin"), filepath.Join(programs, "fake"), "/usr/bin", "/bin"}, ":")
	for _, name := range []string{
		"config.toml", "AGENTS.md", "draft.md", "skills/s/SKILL.md", "sessions/2026/shared.jsonl",
		"state_5.sqlite", "state_5.sqlite-wal",
	} {
		w.keep("home/.codex/" + name)
	}
	for _, name := range []string{".gitconfig", ".ssh/config", ".bashrc", "proj/README"} {
		w.keep("home/" + name)
	}
	for _, name := range []string{".codex/history.jsonl", ".codex/.credentials.json", ".netrc"} {
		w.drop("home/" + name)
	}
	w.link("/nowhere/at/all", "home/.codex/dangling")
	w.link("/nowhere/either", "home/.tool")
	return w
}

// at returns the path of a file of the world.
func (w *world) at(name string) string { return filepath.Join(w.dir, name) }

// keep writes a file that no operation may lose; no other file has the same contents.
func (w *world) keep(name string) { w.put(name, "# kept "+name+"\n") }

// drop writes a file that an operation may replace: a program meant it to be.
func (w *world) drop(name string) { w.put(name, "# old "+name+"\n") }

// put replaces a file as programs do: by a rename.
func (w *world) put(name, text string) {
	w.t.Helper()
	file := w.at(name)
	testhome.PutFile(w.t, file+".put", text)
	testhome.NoError(w.t, os.Rename(file+".put", file))
}

func (w *world) link(target, name string) {
	w.t.Helper()
	testhome.NoError(w.t, os.MkdirAll(filepath.Dir(w.at(name)), 0o700))
	testhome.NoError(w.t, os.Symlink(target, w.at(name)))
}

// accountOf returns the path of the account's codex home in the world.
func accountOf(key string) string { return "home/.swop/accounts/" + key + "/home/.codex/" }

func authOf(key string) string { return fmt.Sprintf(`{"OPENAI_API_KEY":"sk-kept-%s"}`, key) }

// addAccounts makes two accounts, logged in, used and complete, one of them with names that an earlier rule pinned, and the selector.
func (w *world) addAccounts() {
	w.t.Helper()
	var err error
	for _, label := range []string{"Work", "Personal"} {
		_, err = w.store.Create(store.New{Label: label, State: account.StateShared, SharedHome: w.shared, Now: time.Now()})
		testhome.NoError(w.t, err)
		key := strings.ToLower(label)
		w.put(accountOf(key)+"auth.json", authOf(key))
		testhome.NoError(w.t, w.store.MarkPending(key))
		w.put("home/.swop/locks/"+key, "") // a session has run
	}
	w.root, err = store.ReadRoot(w.store.Root)
	testhome.NoError(w.t, err)
	w.keep(accountOf("work") + "own.local.toml")
	testhome.Tick(w.t)
	var settings config.Settings
	settings.Isolation, settings.CodexHome.Private = config.IsolateHome, []string{"*.local.toml"}
	w.reconcile(settings)
	settings.CodexHome.Private = nil
	w.reconcile(settings)
	testhome.Tick(w.t)
	testhome.NoError(w.t, os.Mkdir(w.at("home/bound"), 0o700))
	testhome.NoError(w.t, config.WriteSelector(w.store.Places, config.Selector{Account: "Work", Directory: []config.Binding{
		{Path: w.at("home/bound"), Account: "Work"}, {Path: w.at("home/proj"), Account: "Personal"},
	}}))
}

func (w *world) reconcile(settings config.Settings) {
	w.t.Helper()
	accounts, err := w.store.Accounts()
	testhome.NoError(w.t, err)
	quiet := func(line string) { w.t.Errorf("the start state is said to be: %s", line) }
	for _, a := range accounts {
		err := home.Homes{Store: w.store, Root: w.root, Settings: settings, Say: quiet}.Reconcile(a, home.Options{Idle: home.AtRest})
		testhome.NoError(w.t, err)
	}
}

// makeConflicts changes the accounts' homes as programs do, in the ways that are hardest to repair.
func (w *world) makeConflicts() {
	w.t.Helper()
	work, personal, home := accountOf("work"), accountOf("personal"), "home/.swop/accounts/work/home/"
	// a file changed on both sides, and three that a program replaced: one of them hard-linked
	w.put("home/.codex/config.toml", "# kept, the shared side of config.toml\n")
	testhome.Tick(w.t)
	for _, name := range []string{work + "config.toml", work + "history.jsonl", home + ".netrc", work + ".credentials.json"} {
		w.keep(name)
	}
	// directories on both sides, one of them append-only
	w.diverge(work+"skills", "s/SKILL.md", "own/SKILL.md")
	w.diverge(work+"sessions", "2026/shared.jsonl", "2026/own.jsonl")
	for _, dir := range []string{work, "home/.codex/"} {
		w.put(dir+"sessions/2026/same.jsonl", "# kept, the same on both sides\n")
	}
	// entries to adopt, links that programs made or renamed, a dangling link
	for _, name := range []string{work + "new.md", work + "newdir/deep/file", personal + "fresh.md", home + ".newrc"} {
		w.keep(name)
	}
	w.link(w.at(work+"newdir/deep/file"), work+"newdir/link")
	testhome.NoError(w.t, os.Rename(w.at(work+"draft.md"), w.at(work+"final.md")))
	w.link(w.at("home/.codex/gone"), work+"gone")
	// databases with their logs
	for _, name := range []string{work + "logs_2.sqlite", personal + heldDatabase} {
		w.keep(name)
		w.keep(name + "-wal")
	}
	// what an earlier run left in the trash
	w.put("home/.swop/trash/work-old/home/file", "# old\n")
	testhome.Tick(w.t)
}

// heldDatabase is made in the account "personal" and is open in one of its processes.
const heldDatabase = "queue_1.sqlite"

// diverge replaces the link of a directory by a directory.
func (w *world) diverge(dir string, files ...string) {
	w.t.Helper()
	testhome.NoError(w.t, os.Remove(w.at(dir)))
	for _, file := range files {
		w.keep(dir + "/" + file)
	}
}

// hold starts a process of the account and waits until it has the database open. The account is in use then.
func (w *world) hold(key, database string) {
	w.t.Helper()
	holder := exec.Command("/bin/sh", "-c", `exec 9<>"$1"; echo; exec sleep 1000`, "sh", w.at(accountOf(key)+database))
	holder.Env = []string{"CODEX_HOME=" + strings.TrimSuffix(w.at(accountOf(key)), "/"), "PATH=/usr/bin:/bin"}
	out, err := holder.StdoutPipe()
	testhome.NoError(w.t, err)
	testhome.NoError(w.t, holder.Start())
	w.holder = holder.Process.Pid
	_, err = out.Read(make([]byte, 1))
	testhome.NoError(w.t, err)
	w.release = sync.OnceFunc(func() {
		_ = holder.Process.Kill() // it cannot have ended by itself
		_ = holder.Wait()         // "signal: killed"
	})
}

// remove deletes the world.
func (w *world) remove() {
	w.release()
	testhome.NoError(w.t, os.RemoveAll(w.dir))
}

// env is the environment of the user's commands.
func (w *world) env(more ...string) []string {
	return append([]string{
		"HOME=" + w.home, "PATH=" + w.path, "TMPDIR=" + w.at("tmp"), "SHELL=/bin/bash", "LANG=C.UTF-8",
		"GODEBUG=asyncpreemptoff=1", // a preempted call would be repeated, and counted twice
	}, more...)
}

// command is a call of one of swop's two programs.
func (w *world) command(stdin string, env []string, args ...string) Command {
	args = append([]string{filepath.Join(buildDir, "bin", args[0])}, args[1:]...)
	return Command{Args: args, Env: w.env(env...), Dir: w.home, Stdin: stdin}
}
