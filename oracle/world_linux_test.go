package oracle

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"swop/internal/testbuild"
	"swop/internal/testhome"
)

// world is two homes that begin alike: in plain the steps are run by sh, in real by sessions of swop's accounts.
type world struct {
	t     testing.TB
	dir   string // everything else is below it
	plain string
	real  string
	bin   string   // swop's programs: see [built]
	pairs []*pair  // that are open
	log   []string // what happened, a line each
	said  []string // what swop said on stderr
}

// limit is how long a step or a start may take. It is long: many seeds run at the same time.
const limit = 60 * time.Second

// built returns a directory with swop's programs in bin/, others in hasty/, a fake codex in fake/, and in home/ the home that every world begins
// with. Those in hasty/ share after a moment what replaced a link in a session that runs, not after ten seconds.
var built = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp(testhome.ProgramScratch(), "swop-oracle-"); err != nil {
		return "", err
	}
	buildDir = dir
	if *programs != "" {
		err = errors.Join(os.Symlink(*programs, filepath.Join(dir, calm)), os.Symlink(*programs, filepath.Join(dir, hasty)))
	} else {
		err = errors.Join(testbuild.Programs(filepath.Join(dir, calm)), buildHasty(dir))
	}
	if err = errors.Join(err, testbuild.Fake(dir, "#!/bin/sh\nexec \"$@\"\n")); err != nil {
		return "", err
	}
	cmd := exec.Command("sh", "-ec", firstHome)
	cmd.Dir, cmd.Env = dir, environment(dir, filepath.Join(dir, "home"), calm)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("making the first home: %w\n%s", err, out)
	}
	return dir, nil
})

var buildDir string

// The directories of swop's programs, and what is in the sources of those in hasty in place of what is there: see [built].
const (
	calm        = "bin"
	hasty       = "hasty"
	quietSource = "../home/mirror/quiet_unix.go"
	quietText   = "quiet = 10 * time.Second"
	quietHasty  = "quiet = time.Millisecond"
)

// buildHasty builds the programs in hasty/ from other sources than those that are there.
func buildHasty(dir string) error {
	text, err := os.ReadFile(quietSource)
	if err != nil {
		return err
	}
	if strings.Count(string(text), quietText) != 1 {
		return fmt.Errorf("%s has not once %q", quietSource, quietText)
	}
	changed, overlay := filepath.Join(dir, "quiet.go"), filepath.Join(dir, "overlay.json")
	source, err := filepath.Abs(quietSource)
	if err == nil {
		err = os.WriteFile(changed, []byte(strings.Replace(string(text), quietText, quietHasty, 1)), 0o600)
	}
	if err == nil {
		err = os.WriteFile(overlay, fmt.Appendf(nil, `{"Replace": {%q: %q}}`, source, changed), 0o600)
	}
	if err != nil {
		return err
	}
	return testbuild.Programs(filepath.Join(dir, hasty), "-overlay", overlay)
}

var programs = flag.String("programs", "", "the absolute path of a directory with codex and codex-swop, instead of those built from here")

func TestMain(m *testing.M) {
	status := testhome.Suite{Tests: m, Programs: []string{"sqlite3", "rsync", "stow", "vim", "perl", "node", "npm", "bindfs", "mkfs.btrfs", "mkfs.xfs"}}.Run()
	if err := os.RemoveAll(buildDir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// firstHome makes the home: files, directories, a work tree of git, a database, and a codex home.
const firstHome = `
umask 022
mkdir -m 700 home; cd home
mkdir -p dir/sub proj .conf/app dots/pkg backup .codex/skills/s .codex/sessions/2026
for f in x y z .rc 'with space' ./-dash dir/one dir/sub/two proj/a proj/b .conf/app/settings dots/pkg/.stowed .codex/AGENTS.md .codex/config.toml \
	.codex/notes.md .codex/skills/s/SKILL.md .codex/sessions/2026/r.jsonl
do printf '# first %s\n' "$f" > "$f"; done
printf '[user]\n\tname = Someone\n\temail = someone@example.com\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n' > .gitconfig
cd proj; git init -q --template= .; git add a b; git commit -qm first
sqlite3 ../old.db 'pragma journal_mode=wal; create table t(v); insert into t values (1)' >/dev/null
find .. -exec touch -hd 2026-01-01T00:00:00Z {} +
`

// environment is what the steps run with. Commits do not depend on the time.
func environment(dir, home, bin string) []string {
	return []string{
		"HOME=" + home, "PATH=" + filepath.Join(buildDir, bin) + ":" + buildDir + "/fake:/usr/local/bin:/usr/bin:/bin", "TMPDIR=" + dir, "LANG=C.UTF-8", "TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_DATE=@1767225600 +0000", "GIT_COMMITTER_DATE=@1767225600 +0000", "SHELL=/bin/sh",
	}
}

// newWorld makes a world in a directory of its own, or of the homes that it has.
func newWorld(t testing.TB, dir, bin string) (*world, error) {
	w := &world{t: t, dir: dir, bin: bin, plain: filepath.Join(dir, "plain", "home"), real: filepath.Join(dir, "swop", "home")}
	if !testhome.Exists(w.real) {
		if err := w.makeHomes(); err != nil {
			return nil, err
		}
	}
	for _, key := range accounts {
		if err := w.start(key); err != nil {
			return w, err
		}
	}
	return w, w.makeAhead()
}

// makeHomes makes both homes, at the same depth, for the sake of relative links.
func (w *world) makeHomes() error {
	from, err := built()
	if err != nil {
		return err
	}
	for _, home := range []string{w.plain, w.real} {
		if err := os.MkdirAll(filepath.Dir(home), 0o700); err != nil {
			return err
		}
		if err := command("cp", "-a", filepath.Join(from, "home"), home); err != nil {
			return err
		}
	}
	return nil
}

// makeAhead makes the directories in the plain home that swop makes in every codex home, with their modes.
func (w *world) makeAhead() error {
	entries, err := os.ReadDir(filepath.Join(w.real, ".codex"))
	for _, entry := range entries {
		made := filepath.Join(w.plain, ".codex", entry.Name())
		if entry.IsDir() && !testhome.Exists(made) {
			err = errors.Join(err, os.Mkdir(made, 0o700))
		}
	}
	return err
}

// accounts are the keys of both accounts. A start creates an account that is missing.
var accounts = []string{"work", "home"}

// sandbox returns the account's HOME.
func (w *world) sandbox(key string) string {
	return filepath.Join(w.real, ".swop", "accounts", key, "home")
}

func (w *world) note(format string, args ...any) { w.log = append(w.log, fmt.Sprintf(format, args...)) }

// start runs codex once in the account, which repairs its links, and tells of both accounts what waited.
func (w *world) start(key string) error {
	w.note("codex true, in %s", key)
	testhome.Tick(w.t) // what was written just now could be written again in the same tick, and waits
	return w.run(key, "codex", "true")
}

// sync runs the verb that repairs both accounts.
func (w *world) sync() error {
	w.note("codex swop sync")
	return w.run("", "codex", "swop", "sync")
}

// run runs one of swop's programs in an account, or outside of all, to its end.
func (w *world) run(key string, args ...string) error {
	return w.wait(w.command(key, args...))
}

// command is a call of one of swop's programs in an account, or outside of all.
func (w *world) command(key string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(buildDir, w.bin, args[0]), args[1:]...)
	cmd.Env, cmd.Dir = environment(w.dir, w.real, w.bin), w.dir
	if key != "" {
		cmd.Env = append(cmd.Env, "SWOP_ACCOUNT="+key)
	}
	return cmd
}

func (w *world) wait(cmd *exec.Cmd) error {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return err
	}
	late := time.AfterFunc(limit, func() { _ = cmd.Process.Kill() }) // it may have ended
	defer late.Stop()
	err := cmd.Wait()
	w.hear(out.String())
	if err != nil {
		return fmt.Errorf("%q: %w: %s", cmd.Args[1:], err, out.String())
	}
	return nil
}

func (w *world) hear(text string) {
	for line := range strings.Lines(text) {
		w.said = append(w.said, strings.TrimSuffix(line, "\n"))
	}
}

// settle ends all sessions and lets swop bring back what they left.
func (w *world) settle() error {
	if err := w.endAll(); err != nil {
		return err
	}
	for range 2 {
		if err := w.sync(); err != nil {
			return err
		}
	}
	return nil
}
