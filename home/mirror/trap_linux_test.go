package mirror

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/account/store"
	"swop/disk"
	"swop/internal/testhome"
	"swop/say"
)

// trap is what is in the way of a removal.
type trap struct {
	name string
	// set puts it into the account's sandbox; outside is a directory with files that must stay as they are.
	set func(t *testing.T, a account.Account, outside string)
	// left is what of the sandbox cannot be removed and must be named in the error, "" where all can.
	left string
	// free removes what kept it there.
	free func(t *testing.T, left string)
}

var traps = []trap{
	{name: "home is a link", set: sh(`rm -r home; ln -s "$OUT" home`)},
	{name: "the codex home is a link", set: sh(`rm -r home/.codex; ln -s "$OUT" home/.codex`)},
	{name: "home is a file", set: sh(`rm -r home; : >home`)},
	{name: "links", set: sh(`for to in "$OUT" "$OUT/" "$OUT/deep" ../../../../../outside .. ../.. . / gone /proc/self/root; do
		n=$((n+1)); ln -s "$to" home/link$n; ln -s "$to" home/.codex/link$n; done`)},
	{name: "hard links", set: sh(`ln "$OUT/deep/file" home/hard; ln "$OUT/deep/read-only" home/.codex/.credentials.json`)},
	{name: "modes that lock the owner out", set: sh(`mkdir -p home/locked/inside; cd home/locked/inside; : >file; ln -s "$OUT" link; chmod 0 file
		for mode in 0 500 300 600 077; do mkdir $mode; : >$mode/file; chmod $mode $mode; done; chmod 0 .; cd /; chmod 500 "$BOX/home/locked"`)},
	{name: "names", set: sh(`cd home; for name in -rf '*' "$(printf 'new\nline')" "$(printf '\033]0;title\007')" "$(printf '\377\376')" ' ' ... ..data \
		"$(printf %0255d 0)" "$(printf '\342\200\256gnp.exe')"; do mkdir "./$name"; : >"./$name/-rf *"; ln -s "$OUT" "./$name/link"; done`)},
	{
		name: "what is no file",
		set: func(t *testing.T, a account.Account, _ string) {
			testhome.NoError(t, unix.Mkfifo(filepath.Join(a.Home(), "fifo"), 0o600))
			testhome.NoError(t, unix.Mknod(filepath.Join(a.CodexHome(), "socket"), unix.S_IFSOCK|0o600, 0))
		},
	},
	{
		name: "deeper than a path can be, and more than files can be open",
		set: func(t *testing.T, a account.Account, outside string) {
			limitFiles(t, disk.MaxDepth+100)
			dig(t, a.Home(), 1500, outside)
		},
	},
	{
		name: "an immutable file",
		set:  sh(`dir=home/$(printf 'esc\033[31m'); mkdir "$dir"; : >"$dir/immutable"; chattr +i "$dir/immutable"`),
		left: "home/esc\x1b[31m/immutable",
		free: func(t *testing.T, left string) { testhome.NoError(t, exec.Command("chattr", "-i", left).Run()) },
	},
}

// sh returns what runs a script in the sandbox BOX. OUT is the outside directory.
func sh(script string) func(*testing.T, account.Account, string) {
	return func(t *testing.T, a account.Account, outside string) {
		cmd := exec.Command("sh", "-ec", script)
		cmd.Dir, cmd.Env = a.Dir, append(os.Environ(), "OUT="+outside, "BOX="+a.Dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
	}
}

// limitFiles lets the process open only so many files at once, until the test's end.
func limitFiles(t *testing.T, most uint64) {
	var was unix.Rlimit
	testhome.NoError(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &was))
	testhome.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: most, Max: was.Max}))
	t.Cleanup(func() { testhome.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &was)) })
}

// dig makes directories n levels below dir, and links and a file in the deepest.
func dig(t *testing.T, dir string, n int, outside string) {
	at, err := unix.Open(dir, unix.O_PATH|unix.O_CLOEXEC, 0)
	testhome.NoError(t, err)
	for range n {
		testhome.NoError(t, unix.Mkdirat(at, "deep", 0o700))
		next, err := unix.Openat(at, "deep", unix.O_PATH|unix.O_CLOEXEC, 0)
		testhome.NoError(t, errors.Join(err, unix.Close(at)))
		at = next
	}
	testhome.NoError(t, unix.Symlinkat(outside, at, "link"))
	fd, err := unix.Openat(at, "file", unix.O_CREAT|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
	testhome.NoError(t, errors.Join(err, unix.Close(fd), unix.Close(at)))
}

// canFreeze reports whether files here can be made immutable: that needs a privilege that containers do not give their superuser.
func canFreeze(t *testing.T) bool {
	file := testhome.PutFile(t, filepath.Join(testhome.Scratch(t), "file"), "")
	return exec.Command("chattr", "+i", file).Run() == nil && exec.Command("chattr", "-i", file).Run() == nil
}

// setOutside makes a directory beside the home, with what a removal that goes astray would take or change.
func setOutside(t *testing.T, s store.Store) string {
	t.Helper()
	outside := filepath.Join(filepath.Dir(s.Home), "outside")
	testhome.PutFile(t, filepath.Join(outside, "deep", "file"), "precious")
	testhome.PutFile(t, filepath.Join(outside, "deep", "read-only"), "precious")
	testhome.PutFile(t, filepath.Join(outside, ".codex", "auth.json"), "precious")
	testhome.NoError(t, os.Symlink("deep", filepath.Join(outside, "link")))
	testhome.NoError(t, os.Chmod(filepath.Join(outside, "deep", "read-only"), 0o444))
	testhome.NoError(t, os.Chmod(filepath.Join(outside, "deep"), 0o550))
	t.Cleanup(func() { testhome.NoError(t, os.Chmod(filepath.Join(outside, "deep"), 0o700)) })
	return outside
}

// trapped is a store with an account that has the trap, and another account.
type trapped struct {
	store.Store
	work           account.Account
	outside, other string
	before         string
}

func newTrapped(t *testing.T, tr trap) *trapped {
	s := testStore(t)
	w := &trapped{Store: s, work: testAccountOf(t, s, "work"), other: testAccountOf(t, s, "other").Dir, outside: setOutside(t, s)}
	testhome.PutFile(t, w.work.AuthFile(), "login")
	w.before = w.beside(t)
	tr.set(t, w.work, w.outside)
	return w
}

// beside describes all that must not change.
func (w *trapped) beside(t *testing.T) string {
	return testhome.Tree(t, w.outside) + testhome.Tree(t, w.other) + testhome.Tree(t, filepath.Join(w.Home, ".codex"))
}

func (w *trapped) wantBeside(t *testing.T) {
	t.Helper()
	if after := w.beside(t); after != w.before {
		t.Errorf("outside changed from\n%s\nto\n%s", w.before, after)
	}
}

// wantLeft checks the error about what cannot be removed: that it is named in full and for a terminal, that the login is gone, and
// that the rest goes once it can.
func (w *trapped) wantLeft(t *testing.T, tr trap, err error) {
	t.Helper()
	names, globErr := filepath.Glob(filepath.Join(w.Path("trash"), "*"))
	testhome.NoError(t, globErr)
	if len(names) != 1 || err == nil {
		t.Fatalf("removed with %v, in the trash is %q", err, names)
	}
	left := filepath.Join(names[0], tr.left)
	if text := err.Error(); !strings.Contains(text, say.Name(left)) || strings.ContainsAny(text, "\n\x1b") {
		t.Errorf("the error is %q, want one line that names %q", text, left)
	}
	if lines := testhome.Tree(t, names[0]); strings.Contains(lines, `auth.json "login"`) {
		t.Errorf("the login is still there:\n%s", lines)
	}
	if err := w.EmptyTrash(); err == nil || !strings.Contains(err.Error(), say.Name(left)) {
		t.Errorf("EmptyTrash = %v, want it to name %q", err, left)
	}
	w.wantBeside(t)
	tr.free(t, left)
}

// wantEmpty checks that nothing is left of the account.
func (w *trapped) wantEmpty(t *testing.T) {
	t.Helper()
	wantAccounts(t, w.Store, "other")
	if lines := testhome.Tree(t, w.Path("trash")); strings.Contains(lines, "\n") {
		t.Errorf("left in the trash:\n%s", lines)
	}
	w.wantBeside(t)
}

// The ways in which a sandbox is removed: at once, and by a later run.
var removals = map[string]func(s store.Store, a account.Account) error{
	"Delete": func(s store.Store, a account.Account) error { return s.Delete(a, "") },
	"EmptyTrash": func(s store.Store, a account.Account) error {
		_, err := s.Trash(a, "")
		return errors.Join(err, s.EmptyTrash())
	},
}

func TestTraps(t *testing.T) {
	freezes := canFreeze(t)
	for _, tr := range traps {
		for way, remove := range removals {
			t.Run(tr.name+"/"+way, func(t *testing.T) {
				if tr.left != "" && !freezes {
					return // mount points stay too, and what another user owns: TestTrapMounts, trap_owner.txtar
				}
				w := newTrapped(t, tr)
				err := remove(w.Store, w.work)
				if tr.left != "" {
					w.wantLeft(t, tr, err)
					err = w.EmptyTrash()
				}
				if err != nil {
					t.Errorf("%s failed: %v", way, err)
				}
				w.wantEmpty(t)
			})
		}
	}
}

// What is put in the trash's own place is not emptied.
func TestTrapTrash(t *testing.T) {
	for name, put := range map[string]func(w *trapped) error{
		"a link": func(w *trapped) error { return os.Symlink(w.outside, w.Path("trash")) },
		"a file": func(w *trapped) error { return os.WriteFile(w.Path("trash"), nil, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newTrapped(t, trap{set: func(*testing.T, account.Account, string) {}})
			testhome.NoError(t, os.Remove(w.Path("trash")))
			testhome.NoError(t, put(w))
			if err := w.EmptyTrash(); !errors.Is(err, disk.ErrUnsafe) || !strings.Contains(err.Error(), w.Path("trash")) {
				t.Errorf("EmptyTrash = %v, want a refusal that names the trash", err)
			}
			if _, err := w.Leftovers(); !errors.Is(err, disk.ErrUnsafe) {
				t.Errorf("Leftovers = %v, want a refusal", err)
			}
			w.wantBeside(t)
		})
	}
}
