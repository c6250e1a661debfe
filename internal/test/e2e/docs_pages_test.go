//go:build linux

package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"swop/config"
	"swop/internal/home"
	"swop/internal/test/e2e/chatgpt"
	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/e2e/responses"
	"swop/internal/test/testhome"
)

// acmeLogin is the login of the account acme, which the pages have in addition to work and personal.
const acmeLogin = "sk-acme-0123456789-acme"

// newReader makes a user who has the accounts work, personal and acme.
func newReader(t *testing.T) *user {
	t.Helper()
	u := newInstalled(t)
	u.hasFishCompletions()
	u.add("work", workLogin)
	u.add("personal", personalLogin)
	u.add("acme", acmeLogin)
	u.ok(u.swop("use", "work"))
	return u
}

// newInstalled makes a user who has installed swop as install.sh --with-codex does.
func newInstalled(t *testing.T) *user {
	t.Helper()
	u := newUser(t)
	prefix := filepath.Join(u.home, ".local", "share", "swop")
	p := programs{swop: filepath.Join(prefix, "bin"), real: filepath.Join(prefix, "npm", "bin"), node: filepath.Join(u.home, "node")}
	u.env = append(u.env, "SHELL=/bin/bash")
	u.ok(u.command(filepath.Join(u.programs.swop, "codex-swop"), "install"))
	for dir, program := range map[string]string{
		p.real: filepath.Join(u.programs.real, "codex"),
		p.node: filepath.Join(u.programs.node, "node"),
	} {
		real, err := filepath.EvalSymlinks(program)
		testhome.NoError(t, err)
		testhome.NoError(t, errors.Join(os.MkdirAll(dir, 0o700), os.Symlink(real, filepath.Join(dir, filepath.Base(program)))))
	}
	testhome.NoError(t, answerNothing(p.node))
	u.use(p)
	return u
}

// follow runs a page and compares how many blocks were run and how many are marked not-run.
func (u *user) follow(page string, want tally) {
	u.t.Helper()
	if got := u.reads(page).all(); got != want {
		u.t.Errorf("of %s %+v, want %+v: a block was added or removed, or is not run", page, got, want)
	}
}

func TestDocsPrompt(t *testing.T) {
	testhome.Needs(t, "zsh", "fish", "tmux")
	u := newReader(t)
	u.follow("docs/shell-prompt.md", tally{run: 7})
	u.mkdir("clients")
	u.ok(u.swop("bind", "acme", filepath.Join(u.home, "clients")))
	for _, shell := range []string{"bash", "zsh", "fish"} {
		w := u.openTerminal(shell + " -i")
		w.await("(work)")
		w.ask("cd ~/clients")
		w.await("(acme)")
		w.ask("SWOP_ACCOUNT=personal " + shell + " -i")
		w.await("(personal)")
		w.close()
	}
}

func TestDocsConfinement(t *testing.T) {
	testhome.Needs(t, "userns")
	u := newReader(t)
	u.env = append(u.env, "SWOP_ALLOW_ROOT=1")
	u.follow("docs/confinement.md", tally{run: 7, notRun: 2})
}

func TestDocsDirectories(t *testing.T) {
	testhome.Needs(t, "direnv", "tmux")
	u := newReader(t)
	u.follow("docs/directories.md", tally{run: 9})
	// the hook, in a shell with a terminal
	w := u.openTerminal("bash -i")
	w.ask("cd ~/clients/acme && codex exec --skip-git-repo-check 'direnv, who am I?'")
	if got := u.turn("direnv, who am I?").Bearer; got == personalLogin {
		t.Errorf("the hook has set SWOP_ACCOUNT within the command line that enters the directory, want after it: the test proves nothing")
	}
	w.ask("codex exec --skip-git-repo-check 'direnv, who am I now?'")
	if got := u.turn("direnv, who am I now?").Bearer; got != personalLogin {
		t.Errorf("below .envrc codex sends %q, want %q", got, personalLogin)
	}
}

func TestDocsHistory(t *testing.T) {
	u := newReader(t)
	u.keep("AGENTS.md", "Answer in French.\n", time.Now().Add(-time.Hour))
	u.keep("AGENTS.md", "Answer in one sentence.\n", time.Now())
	u.write(".codex/AGENTS.md", "Answer at length.\n")
	u.follow("docs/history.md", tally{run: 2})
}

// keep plants a version of a file of the codex home.
func (u *user) keep(name, text string, at time.Time) {
	u.t.Helper()
	dir := filepath.Join(u.home, ".swop", home.KeptDir, home.KeptID(at, "acme"), ".codex")
	testhome.PutFile(u.t, filepath.Join(dir, name), text)
}

func TestDocsCI(t *testing.T) {
	u := newReader(t)
	const key = "sk-runs-0123456789-runs"
	u.env = append(u.env, "OPENAI_API_KEY="+key, "RUNNER_TEMP="+t.TempDir())
	u.follow("docs/ci.md", tally{run: 9})
	adds := readPage(t, "docs/ci.md")[0].text
	if r := u.ok(u.command("/bin/sh", "-euc", adds+"SWOP_ACCOUNT=ci codex exec --skip-git-repo-check hi")); strings.Contains(r.stderr,
		"WARNING") {
		t.Errorf("in the page's place for accounts codex says %q", r.stderr)
	}
	if got := u.turn("Say what the last commit changes").Bearer; got != key {
		t.Errorf("the job sends %q, want %q", got, key)
	}
	u.ok(u.command("grep", "-q", responses.Reply, "events.jsonl"))
}

func TestDocsPath(t *testing.T) {
	u := newReader(t)
	u.env = append(u.env, "SHELL=/bin/bash")
	u.mkdir(".volta/bin")
	testhome.NoError(t, os.Symlink("/bin/echo", filepath.Join(u.home, ".volta", "bin", "codex")))
	u.follow("docs/path.md", tally{run: 7})
	w := u.openTerminal("bash -i")
	w.ask(`PATH="$HOME/.volta/bin:$PATH"; codex swop version`)
	w.await("swop (devel)")
}

// The variable of the page keeps databases apart, and transcripts together.
func TestDocsSeveralMachines(t *testing.T) {
	u := newReader(t)
	u.follow("docs/several-machines.md", tally{run: 1, notRun: 2})
	host, err := os.Hostname()
	testhome.NoError(t, err)
	dir := filepath.Join(u.home, ".codex-hosts", host)
	u.ok(u.exec("Which host is this?").with("CODEX_SQLITE_HOME=" + dir))
	for pattern, want := range map[string]bool{filepath.Join(dir, "*.sqlite"): true, filepath.Join(u.home, ".codex", "*.sqlite"): false} {
		if found, err := filepath.Glob(pattern); err != nil || (len(found) > 0) != want {
			t.Errorf("%s: %q, %v, want any: %v", pattern, found, err, want)
		}
	}
}

func TestDocsCron(t *testing.T) {
	u := newReader(t)
	u.follow("docs/cron.md", tally{run: 2})
	if got := u.turn("Say what changed since yesterday").Bearer; got != workLogin {
		t.Errorf("the job sends %q, want %q", got, workLogin)
	}
	u.ok(u.command("grep", "-q", responses.Reply, filepath.Join(u.home, "codex.log")))
}

// TestDocsSandbox runs the verb in the real codex's sandbox, and then a new Go program, in a module of its own outside of the repository.
func TestDocsSandbox(t *testing.T) {
	testhome.Needs(t, "bwrap")
	u := newReader(t)
	newClone(t, filepath.Join(u.home, "src", "swop"))
	// so that the next run finds what this one compiled
	u.env = append(append(u.env, goEnv(t)...), "GOFLAGS=-trimpath", "PATH="+config.Env(u.env).Value("PATH")+":"+u.tools("go"))
	u.follow("docs/sandbox.md", tally{run: 10})
}

// newUsageReader makes a user with a login of ChatGPT for personal, which has much left, and one for work, which has little.
func newUsageReader(t *testing.T) members {
	t.Helper()
	m := newTrial(t, release{version: realcodex.Version}).openMembers()
	now := time.Now()
	for n, label := range []string{"personal", "work"} {
		m.join(label, n+1)
		m.openAI.SetLimits(n+1, chatgpt.Limits{Short: 96 * n, Long: 2 + 38*n, Resets: now.Add(time.Hour), Week: now.AddDate(0, 0, 2+n)})
	}
	m.usage() // which takes the time it needs; what readers type shows this answer
	return m
}

func TestDocsUsage(t *testing.T) {
	m := newUsageReader(t)
	m.spend(2, 0, time.Now().Add(time.Hour)) // which codex is asked for only once it has failed
	m.ok(m.swop("use", "work"))
	m.follow("docs/usage.md", tally{run: 9, notRun: 1})
}
