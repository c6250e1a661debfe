//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"swop/internal/test/testfile"
	"swop/internal/test/testhome"
)

// fakes are the programs that the pages name and that a pasted block starts. Each notes its arguments and swop's variables in a file.
var fakes = []string{
	"codex", "curl", "direnv", "env", "go", "mktemp", "node", "npm", "printenv", "rm", "systemd-creds", "end-of-block",
	"./install.sh", "./test.sh", "./.ci/run", "./.local/share/swop/bin/codex",
}

const fake = `#!/bin/sh
said=${0##*/}
for arg; do said="$said <$arg>"; done
[ "$said" = end-of-block ] || said="$said${SWOP_ACCOUNT+ account $SWOP_ACCOUNT}${SWOP_BYPASS+ bypass}${SWOP_CONFINE+ $SWOP_CONFINE}${SWOP_ROOT+ $SWOP_ROOT}"
echo "$said" >>"$PASTED"
`

// shellError is what a shell says of what it does not understand, or shows while it waits for the rest.
var shellError = regexp.MustCompile(`(?i)not found|unknown command|parse error|syntax error|no matches|unexpected|is not the|quote>|invalid`)

// plainWords are read alike by every shell: letters, digits, paths and flags.
var plainWords = regexp.MustCompile(`^[\w ./\n-]*$`)

// A typed block is one of sh, with the page that shows it.
type typed struct {
	page string
	block
}

// What is to be typed can be pasted into bash, zsh and fish as they come: each block starts the same programs with the same arguments
// as in a script, and no shell complains or waits for more. Blocks of plain words, and those that an earlier page shows, are left out.
func TestDocsPaste(t *testing.T) {
	t.Parallel()
	testhome.Needs(t, "tmux", "zsh", "fish")
	var all []typed
	seen := map[string]bool{}
	for _, page := range pages(t) {
		for _, b := range readPage(t, page) {
			if b.language == "sh" && !seen[b.text] && !plainWords.MatchString(b.text) {
				all, seen[b.text] = append(all, typed{page, b}), true
			}
			if strings.HasPrefix(b.text, "$ ") || strings.Contains(b.text, "\n$ ") {
				t.Errorf("%s:%d: a prompt; write commands in a block of sh, and what they print in one of text below", page, b.line)
			}
		}
	}
	want := script(t, all)
	for _, shell := range []string{"bash --norc --noprofile -i", "zsh -f -i", "fish --no-config -i"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			p := newPaster(t)
			w := p.openTerminal(shell)
			for i, b := range all {
				p.block(w, afresh)
				if got := p.block(w, strings.TrimSpace(b.text)); got != want[i] {
					t.Fatalf("%s:%d: the block runs\n%swant\n%s", b.page, b.line, got, want[i])
				}
			}
			if m := shellError.FindString(w.tmux("capture-pane", "-p", "-S", "-")); m != "" {
				t.Errorf("%q in\n%s", m, w.tmux("capture-pane", "-p", "-S", "-"))
			}
			w.ask("exit")
			w.wait()
		})
	}
}

// afresh undoes what an earlier block may have changed for the next one.
const afresh = `cd ~; export PATH="$FAKES"; true`

// script returns what each block runs in a script, where a comment is one.
func script(t *testing.T, all []typed) []string {
	t.Helper()
	p := newPaster(t)
	var text strings.Builder
	for _, b := range all {
		text.WriteString(afresh + "\n" + b.text + "end-of-block\n")
	}
	cmd := exec.Command("/bin/sh", "-euc", text.String())
	cmd.Dir, cmd.Env = p.work, p.env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.Split(p.noted(), "end-of-block\n")
}

// A paster is a user to whom only fakes answer.
type paster struct {
	*user
	log string
}

func newPaster(t *testing.T) paster {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	testhome.NoError(t, err)
	bin := filepath.Join(home, "fakes")
	for _, name := range fakes {
		file := filepath.Join(home, name)
		if !strings.HasPrefix(name, "./") {
			file = filepath.Join(bin, name)
		}
		testfile.Put(t, file, fake, 0o700)
	}
	testhome.NoError(t, os.Symlink(".", filepath.Join(home, "swop"))) // the clone
	testfile.Put(t, filepath.Join(bin, "git"), "#!/bin/sh\n", 0o700)  // notes nothing: fish's prompt asks it
	testfile.LinkPrograms(t, bin, "mkdir", "bash", "zsh", "fish", "sh", "mv", "uname", "id")
	log := filepath.Join(home, "pasted")
	env := []string{"HOME=" + home, "PATH=" + bin, "TERM=screen", "LANG=C.UTF-8", "PASTED=" + log, "FAKES=" + bin, "XDG_RUNTIME_DIR=" + home, "SWOP_BRIDGE_TRACKER_SOCKET=/tracker"}
	return paster{&user{t: t, home: home, work: home, env: env}, log}
}

// block pastes the text, waits until the shell has run it, and returns what it started.
func (p paster) block(w *terminal, text string) string {
	p.t.Helper()
	w.ask(text)
	w.ask("end-of-block")
	var ran string
	if !within(p.t, 20*time.Second, "the end of the block", func() bool {
		text, err := os.ReadFile(p.log)
		ran = string(text)
		return err == nil && strings.HasSuffix(ran, "end-of-block\n")
	}) {
		p.t.Fatalf("pasted\n%s\nthe terminal shows\n%s", text, w.tmux("capture-pane", "-p", "-S", "-"))
	}
	return strings.TrimSuffix(p.noted(), "end-of-block\n")
}

// noted returns what was started since the last call, that of each block sorted: the programs of a pipe start in no order.
func (p paster) noted() string {
	p.t.Helper()
	text, err := os.ReadFile(p.log)
	testhome.NoError(p.t, err)
	testhome.NoError(p.t, os.Remove(p.log))
	blocks := strings.Split(strings.ReplaceAll(string(text), p.home, "~"), "end-of-block\n")
	for i, lines := range blocks {
		blocks[i] = strings.Join(slices.Sorted(strings.Lines(lines)), "")
	}
	return strings.Join(blocks, "end-of-block\n")
}
