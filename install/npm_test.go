//go:build unix

package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/disk"
	"swop/internal/testfile"
	"swop/internal/testhome"
)

// fakeNPM puts an npm on the home's PATH, first, that lays files out as npm's global install does, after a piece of script.
func (h *home) fakeNPM(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	testfile.Put(t, filepath.Join(dir, "npm"), `#!/bin/sh
printf '%s\n' "$@" >"`+dir+`/argv"
[ "$1 $2 $3 $5" = 'install -g --prefix @openai/codex' ] || exit 64
case " $* " in *' --loglevel=error '*) ;; *) echo a bare spinner ;; esac
m=$4/lib/node_modules/@openai/codex
mkdir -p "$m/bin" "$4/bin"
`+script+`
printf '#!/bin/sh\necho the fetched codex\n' >"$m/bin/codex.js"
chmod +x "$m/bin/codex.js"
ln -s ../lib/node_modules/@openai/codex/bin/codex.js "$4/bin/codex"
echo added 2 packages
`, 0o755)
	h.setenv("PATH", dir+":/usr/bin:/bin")
}

// newHomeForNPM returns a home without a codex whose install fetches one, with a [home.fakeNPM].
func newHomeForNPM(t *testing.T, script string) *home {
	t.Helper()
	h := newHome(t, "bash")
	h.noReal()
	h.fakeNPM(t, script)
	h.o.WithCodex, h.o.Yes = true, true
	return h
}

func TestWithCodex(t *testing.T) {
	h := newHomeForNPM(t, "")
	var said strings.Builder
	h.o.Progress = &said
	before := snapshot(t, h.o.Home)
	r := h.install(t)
	real := filepath.Join(h.prefix(), "npm", "bin", "codex")
	if text := r.Text(); !strings.Contains(text, "real codex: "+real) || said.String() != "swop: installing @openai/codex with npm in "+filepath.Dir(filepath.Dir(real))+"\n" {
		t.Errorf("the report is\n%s\nand npm said %q", text, &said)
	}
	h.run(t, "bash", "-ic", `printf %s "$PATH" >path`)
	path := filepath.SplitList(readFile(t, h.path("path")))
	if path[0] != h.bin() || path[len(path)-1] != filepath.Dir(real) {
		t.Errorf("PATH is %q, want %q first and %q last", path, h.bin(), filepath.Dir(real))
	}
	testhome.NoError(t, os.Remove(h.path("path")))
	h.o.WithCodex = false // it stays, and a new run without the flag knows it
	if r := h.install(t); len(r.Changes) != 0 {
		t.Errorf("the second install changed %v", r.Changes)
	}
	if text := h.uninstall(t).Text(); !strings.Contains(text, "is removed, too. To have one again:\n\n    npm install -g @openai/codex\n") {
		t.Errorf("uninstall does not say that the real codex goes too:\n%s", text)
	}
	before.same(t, h.o.Home)
}

func TestWithCodexAsks(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func(string) (bool, error)
		want   error
		runs   bool
	}{
		{"yes", func(string) (bool, error) { return true, nil }, nil, true},
		{"no", func(string) (bool, error) { return false, nil }, nil, false},
		{"no terminal", nil, disk.ErrUnsafe, false},
		{"interrupted", func(string) (bool, error) { return false, os.ErrClosed }, os.ErrClosed, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHomeForNPM(t, "")
			h.o.Yes, h.o.Ask = false, tt.answer
			_, err := Install(h.o)
			if !errors.Is(err, tt.want) || exists(filepath.Join(h.prefix(), "npm")) != tt.runs {
				t.Errorf("Install: %v, want %v; npm ran: %v, want %v", err, tt.want, !tt.runs, tt.runs)
			}
			if tt.want != nil && exists(h.bin()) {
				t.Error("something was installed")
			}
		})
	}
}

// Where npm fails, swop is installed all the same, the error says how to go on, and nothing half done stays.
func TestNPMFails(t *testing.T) {
	h := newHomeForNPM(t, "echo npm error code ENOTFOUND >&2; exit 7")
	var said strings.Builder
	h.o.Progress = &said
	before := snapshot(t, h.o.Home)
	r, err := Install(h.o)
	if err == nil || !strings.HasPrefix(err.Error(), "swop is installed, but the real codex is not: npm: exit status 7") {
		t.Errorf("Install = %v, want npm's exit status", err)
	}
	if !strings.HasSuffix(said.String(), "\nnpm error code ENOTFOUND\n") || strings.Contains(r.Text(), "with-codex") {
		t.Errorf("npm said %q, and the report advises the flag that was used:\n%s", &said, r.Text())
	}
	if !exists(filepath.Join(h.bin(), "codex")) || exists(filepath.Join(h.prefix(), "npm")) {
		t.Errorf("after npm failed: %v", r.Changes)
	}
	h.uninstall(t)
	before.same(t, h.o.Home)
}

// Run again, it updates the codex that it installed, and where that fails the old one stays. Ctrl-C at npm says what is there.
func TestWithCodexAgain(t *testing.T) {
	h := newHomeForNPM(t, "echo 1 >\"$m/package.json\"")
	real := filepath.Join(h.prefix(), "npm", "bin", "codex")
	h.install(t)
	h.o.Yes = false // it was agreed to
	for _, tt := range []struct{ npm, said string }{
		{"exit 7", "the real codex is not updated: npm: exit status 7"},
		{"kill -INT $PPID; kill -INT $$", "the real codex is not updated: npm: signal: interrupt"},
		{"rm \"$4/bin/codex\"; exit 130", "the real codex is not: npm: exit status 130"},
	} {
		h.fakeNPM(t, tt.npm)
		if _, err := Install(h.o); err == nil || !strings.HasPrefix(err.Error(), "swop is installed, but "+tt.said) {
			t.Errorf("npm ended with %q: Install = %v, want %q", tt.npm, err, tt.said)
		}
	}
	if exists(filepath.Join(h.prefix(), "npm")) {
		t.Error("what npm left of a codex that does not run is still there")
	}
	h.o.Yes = true
	h.fakeNPM(t, "rm -f \"$4/bin/codex\"; echo 2 >\"$m/package.json\"")
	h.install(t)
	h.fakeNPM(t, "rm -f \"$4/bin/codex\"; echo 3 >\"$m/package.json\"")
	if r := h.install(t); len(r.Changes) != 1 || r.Changes[0] != (Change{real, Changed}) {
		t.Errorf("an update changed %v", r.Changes)
	}
	if r := h.install(t); len(r.Changes) != 0 {
		t.Errorf("an update that was none changed %v", r.Changes)
	}
}

// What an npm left that was killed goes too; what else is there stays.
func TestNPMKilled(t *testing.T) {
	h := newHomeForNPM(t, `mkdir "$m/../.codex-X1y2" && echo half >"$m/../.codex-X1y2/file" && kill -9 $$`)
	before := snapshot(t, h.o.Home)
	if _, err := Install(h.o); err == nil {
		t.Fatal("Install succeeds although npm was killed")
	}
	h.write(t, ".local/share/swop/npm/lib/node_modules/@openai/.codex-Z3/file", "left by an install that was killed with npm")
	h.write(t, ".local/share/swop/npm/lib/node_modules/other/file", "mine")
	mine := h.path(".local/share/swop/npm/lib/node_modules/other")
	h.uninstall(t)
	if !exists(mine) || exists(filepath.Join(filepath.Dir(mine), "@openai")) {
		t.Errorf("after uninstall: %v", snapshot(t, h.o.Home))
	}
	testhome.NoError(t, os.RemoveAll(h.path(".local")))
	before.same(t, h.o.Home)
}

// Without npm nothing is changed, and without the flag nothing is fetched: the report says how to get a codex. One that is there is enough.
func TestWithoutNPM(t *testing.T) {
	h := newHome(t, "bash")
	h.o.Yes = true
	h.setenv("PATH", t.TempDir())
	before := snapshot(t, h.o.Home)
	real := h.o.FindReal
	h.noReal()
	h.o.WithCodex = true
	if _, err := Install(h.o); err == nil || !strings.Contains(err.Error(), "needs npm") {
		t.Errorf("Install without npm = %v", err)
	}
	before.same(t, h.o.Home)
	h.o.WithCodex = false
	if text := h.install(t).Text(); !strings.Contains(text, "npm install -g @openai/codex") || !strings.Contains(text, "--with-codex") {
		t.Errorf("the report does not say how to get a codex:\n%s", text)
	}
	h.o.WithCodex, h.o.FindReal = true, real
	h.install(t)
}
