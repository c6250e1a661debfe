package mirror

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/disk"
	"swop/home/history"
	"swop/internal/testhome"
)

// newTwoDeviceWorld makes a world whose shared home is on another file system than its accounts.
func newTwoDeviceWorld(t testing.TB, keys ...string) *testWorld {
	w := newWorld(t, testhome.Scratch(t), keys...)
	dir := t.TempDir()
	var here, there unix.Stat_t
	testhome.NoError(t, unix.Stat(w.home, &here))
	testhome.NoError(t, unix.Stat(dir, &there))
	if here.Dev == there.Dev {
		t.Fatal("the temporary directory and /dev/shm are one file system; set TMPDIR to a directory on another one")
	}
	w.shareAt(dir)
	return w
}

// TestEngineDevicesAdoptAtRest: what must be copied is moved only at rest, and then as on one device.
func TestEngineDevicesAdoptAtRest(t *testing.T) {
	w := newTwoDeviceWorld(t, "a")
	own := w.codex("a")
	testhome.PutText(t, filepath.Join(own, "notes"), "file")
	testhome.NoError(t, os.MkdirAll(filepath.Join(own, "proj", "deep"), 0o700))
	testhome.PutText(t, filepath.Join(own, "proj", "deep", "file"), "deep")
	testhome.NoError(t, os.Symlink("/usr", filepath.Join(own, "link")))
	putDatabase(t, own, "db")
	for range 2 {
		options := busy.options()
		options.QuietFor = time.Nanosecond
		testhome.NoError(t, w.reconcileWith("a", options))
		if got := testhome.TextOf(filepath.Join(own, "notes")); got != "file" || testhome.Exists(filepath.Join(w.shared, "notes")) {
			t.Fatal("moved while a session runs")
		}
	}
	testhome.NoError(t, w.reconcile("a", noProcesses))
	want := []string{"link -> /usr", "notes = file", "proj/deep/file = deep", "sessions/", "skills/", "state_5.sqlite = db", "state_5.sqlite-wal = db log"}
	if got := w.tree(w.shared); !slices.Equal(got, want) {
		t.Errorf("the shared home has\n%q, want\n%q", got, want)
	}
	wantSettled(t, w)
}

// wantSettled checks that a scan of each account finds nothing, and that no temporary name is left.
func wantSettled(t testing.TB, w *testWorld) {
	t.Helper()
	for _, key := range w.keys() {
		if left := w.findings(key); len(left) > 0 {
			t.Errorf("the next scan of %s finds %v", key, left)
		}
		for _, line := range append(w.tree(w.codex(key)), w.tree(w.shared)...) {
			if strings.Contains(line, disk.CopyPrefix) {
				t.Errorf("a temporary name is left: %s", line)
			}
		}
	}
}

// TestEngineDevicesHardLinkStaysPrivate: one inode cannot be on two file systems.
func TestEngineDevicesHardLinkStaysPrivate(t *testing.T) {
	w := newTwoDeviceWorld(t, "a", "b")
	testhome.PutText(t, filepath.Join(w.codex("a"), ".credentials.json"), "own")
	testhome.PutText(t, filepath.Join(w.shared, ".credentials.json"), "shared")
	for range 2 {
		for _, key := range w.keys() {
			testhome.NoError(t, w.reconcile(key, noProcesses))
		}
	}
	got := []string{testhome.TextOf(filepath.Join(w.codex("a"), ".credentials.json")), testhome.TextOf(filepath.Join(w.shared, ".credentials.json"))}
	if want := []string{"own", "shared"}; !slices.Equal(got, want) || testhome.Exists(filepath.Join(w.codex("b"), ".credentials.json")) {
		t.Errorf("got %q, b has one: %v, want %q", got, testhome.Exists(filepath.Join(w.codex("b"), ".credentials.json")), want)
	}
	wantSettled(t, w)
}

// TestEngineDevicesReplacedLinkKeepsOneVersion: a link that a program replaced waits until nothing runs; while it waits, nothing grows.
func TestEngineDevicesReplacedLinkKeepsOneVersion(t *testing.T) {
	w := newTwoDeviceWorld(t, "a")
	testhome.PutText(t, filepath.Join(w.shared, "config.toml"), "old")
	testhome.Tick(t)
	testhome.NoError(t, w.reconcile("a", busy))
	testhome.Tick(t)
	replaceFile(t, filepath.Join(w.codex("a"), "config.toml"), "new")
	for range 4 {
		testhome.NoError(t, w.reconcile("a", busy))
	}
	if kept := w.tree(w.kept()); len(kept) > 1 {
		t.Errorf("four scans of a version that waits keep %q", kept)
	}
	testhome.NoError(t, w.reconcile("a", noProcesses))
	if got := testhome.TextOf(filepath.Join(w.shared, "config.toml")); got != "new" {
		t.Errorf("config.toml is %q, want %q", got, "new")
	}
	if said := len(w.said); said > 1 {
		t.Errorf("one replaced file was told %d times: %q", said, w.said)
	}
	wantSettled(t, w)
}

// TestEngineDevicesMergeKeepsBoth: two directories that are merged have a file of one name.
func TestEngineDevicesMergeKeepsBoth(t *testing.T) {
	w := newTwoDeviceWorld(t, "a")
	for dir, text := range map[string]string{w.codex("a"): "own", w.shared: "shared"} {
		testhome.NoError(t, os.MkdirAll(filepath.Join(dir, "sessions"), 0o700))
		testhome.PutText(t, filepath.Join(dir, "sessions", "both"), text)
	}
	if err := w.settle(); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"own", "shared"} {
		if !testhome.HoldsText(text, w.shared, w.store.Root) {
			t.Errorf("%q is lost", text)
		}
	}
}

// aclFor gives a user read access, in the form of an ACL's attribute (linux/posix_acl_xattr.h), with the permissions rw-r-----.
func aclFor(user uint32) []byte {
	acl := binary.LittleEndian.AppendUint32(nil, 2)
	for _, entry := range [][3]uint32{{1, 6, ^uint32(0)}, {2, 4, user}, {4, 4, ^uint32(0)}, {16, 4, ^uint32(0)}, {32, 0, ^uint32(0)}} {
		acl = binary.LittleEndian.AppendUint16(acl, uint16(entry[0]))
		acl = binary.LittleEndian.AppendUint16(acl, uint16(entry[1]))
		acl = binary.LittleEndian.AppendUint32(acl, entry[2])
	}
	return acl
}

const aclAttribute, tagAttribute = "system.posix_acl_access", "user.tag"

// tag gives a file a setgid bit, an ACL and an attribute.
func tag(t testing.TB, path string) {
	testhome.NoError(t, unix.Chmod(path, 0o2640))
	testhome.NoError(t, unix.Setxattr(path, aclAttribute, aclFor(1234), 0))
	testhome.NoError(t, unix.Setxattr(path, tagAttribute, []byte("mine"), 0))
}

func attribute(path, name string) string {
	buf := make([]byte, 1<<10)
	n, _ := unix.Getxattr(path, name, buf) // "" shows
	return string(buf[:max(n, 0)])
}

// TestEngineDevicesAttributes: what is copied keeps the permissions with setgid, ACLs and other attributes, and gets no ACL of the directory's.
func TestEngineDevicesAttributes(t *testing.T) {
	w := newTwoDeviceWorld(t, "a")
	shareFile(t, w, "config.toml", "old")
	tag(t, filepath.Join(w.shared, "config.toml"))
	own := w.codex("a")
	testhome.NoError(t, os.Mkdir(filepath.Join(own, "proj"), 0o750))
	for _, name := range []string{"notes", "proj/notes"} {
		testhome.PutText(t, filepath.Join(own, name), "text")
		tag(t, filepath.Join(own, name))
	}
	testhome.PutText(t, filepath.Join(own, "plain"), "text")
	testhome.NoError(t, unix.Setxattr(filepath.Join(own, "proj"), tagAttribute, []byte("dir"), 0))
	testhome.NoError(t, unix.Setxattr(w.shared, "system.posix_acl_default", aclFor(1235), 0))
	replaceFile(t, filepath.Join(own, "config.toml"), "new")
	testhome.NoError(t, w.reconcile("a", noProcesses))
	kept, err := filepath.Glob(filepath.Join(w.kept(), "*", history.FilesDir, "config.toml"))
	testhome.NoError(t, err)
	for _, path := range append(kept, filepath.Join(w.shared, "notes"), filepath.Join(w.shared, "proj/notes")) {
		info, err := os.Lstat(path)
		testhome.NoError(t, err)
		if info.Mode() != 0o640|os.ModeSetgid || attribute(path, aclAttribute) != string(aclFor(1234)) || attribute(path, tagAttribute) != "mine" {
			t.Errorf("%s has %v, %q, %q", path, info.Mode(), attribute(path, aclAttribute), attribute(path, tagAttribute))
		}
	}
	if got := attribute(filepath.Join(w.shared, "proj"), tagAttribute); got != "dir" || len(kept) != 1 {
		t.Errorf("the directory has %q, %d versions are kept", got, len(kept))
	}
	if got := attribute(filepath.Join(w.shared, "plain"), aclAttribute); got != "" {
		t.Errorf("a file without an ACL has %q in the shared home", got)
	}
	wantSettled(t, w)
}

// TestEngineDevicesNotCopied: what cannot be copied completely stays in the account, and waits.
func TestEngineDevicesNotCopied(t *testing.T) {
	w := newTwoDeviceWorld(t, "a")
	own := w.codex("a")
	testhome.NoError(t, os.MkdirAll(filepath.Join(own, "proj", "deep"), 0o700))
	testhome.PutText(t, filepath.Join(own, "proj", "a"), "kept 1")
	testhome.NoError(t, unix.Mkfifo(filepath.Join(own, "proj", "deep", "fifo"), 0o600))
	testhome.PutText(t, filepath.Join(own, "notes"), "text")
	tag(t, filepath.Join(own, "notes"))
	testhome.PutText(t, filepath.Join(own, "other"), "goes on")
	before := w.tree(own)
	_, err := newStepper(t).run(func() error { return w.reconcile("a", noProcesses) }, func(_ int, call string) unix.Errno {
		if call == "setxattr "+tagAttribute {
			return unix.ENOTSUP
		}
		return 0
	})
	testhome.NoError(t, err)
	for _, line := range before {
		if !slices.Contains(w.tree(own), line) && !strings.HasPrefix(line, "other ") {
			t.Errorf("%s is gone from the account, which has %q", line, w.tree(own))
		}
	}
	if got, want := w.tree(w.shared), []string{"other = goes on", "sessions/", "skills/"}; !slices.Equal(got, want) {
		t.Errorf("the shared home has %q, want %q", got, want)
	}
	defects, err := Examine(w.store, w.accounts["a"], w.root, w.settings)
	testhome.NoError(t, err)
	var got []string
	for _, d := range defects {
		got = append(got, d.String()+"; "+d.Do)
	}
	const because = "waits to be shared: %q cannot be copied to another file system: %s; mv %s %s"
	want := []string{
		`"notes" ` + fmt.Sprintf(because, "notes", "its attribute user.tag cannot be kept: operation not supported", own+"/notes", w.shared+"/notes"),
		`"proj" ` + fmt.Sprintf(because, "fifo", "it is a socket, FIFO or device", own+"/proj", w.shared+"/proj"),
	}
	if !slices.Equal(got, want) {
		t.Errorf("Examine = %q, want %q", got, want)
	}
}

// TestEngineDevicesKilled is TestEngineKilled across file systems, for what is copied.
func TestEngineDevicesKilled(t *testing.T) {
	s := newStepper(t)
	for _, name := range []string{"adopt a file", "adopt a directory with links into the sandbox", "a replaced link", "a database", "directories to merge"} {
		t.Run(name, func(t *testing.T) {
			told := map[string]bool{}
			for f := range faults(testhome.Points(t, 8)) {
				w := newTwoDeviceWorld(t, "a")
				startStates[name](w, w.codex("a"), w.shared)
				_, _ = s.run(func() error { return w.reconcile("a", noProcesses) }, f.kill()) // the errors are our own
				for _, wrong := range w.recovers() {
					if !told[wrong] {
						t.Errorf("%s: %s", w.words(f.log), wrong)
					}
					told[wrong] = true
				}
			}
		})
	}
}

// TestEngineDevicesDenied: one call is denied, as for an entry that may not be moved, and the run goes on or fails. The next ones complete it.
func TestEngineDevicesDenied(t *testing.T) {
	s := newStepper(t)
	for _, name := range []string{"adopt a file", "a replaced link", "directories to merge"} {
		t.Run(name, func(t *testing.T) {
			for f := range faults(testhome.Points(t, 8)) {
				w := newTwoDeviceWorld(t, "a")
				startStates[name](w, w.codex("a"), w.shared)
				_, err := s.run(func() error { return w.reconcile("a", noProcesses) }, f.deny())
				for _, wrong := range w.recovers() {
					t.Errorf("%s (%v): %s", w.words(f.log), err, wrong)
				}
			}
		})
	}
}

// TestEngineDevicesKeptIsComplete: a version that is copied is kept completely or not at all, with its time.
func TestEngineDevicesKeptIsComplete(t *testing.T) {
	s := newStepper(t)
	kept := 0
	for f := range faults(0, 1) {
		w := newTwoDeviceWorld(t, "a")
		startStates["two versions, the own one newer"](w, w.codex("a"), w.shared)
		old, err := os.Stat(filepath.Join(w.shared, "config.toml"))
		testhome.NoError(t, err)
		_, _ = s.run(func() error { return w.reconcile("a", noProcesses) }, f.kill()) // the errors are our own
		testhome.NoError(t, w.settle())
		files, err := filepath.Glob(filepath.Join(w.kept(), "*", history.FilesDir, "*"))
		testhome.NoError(t, err)
		for _, file := range files {
			kept++
			info, err := os.Stat(file)
			testhome.NoError(t, err)
			if text := testhome.TextOf(file); filepath.Base(file) != "config.toml" || text != "kept 1" || !info.ModTime().Equal(old.ModTime()) {
				t.Errorf("%s: %s is kept, with %q of %v", f.log, filepath.Base(file), text, info.ModTime())
			}
		}
	}
	if kept == 0 {
		t.Error("nothing was ever kept")
	}
}

// recovers reconciles until nothing is left to repair, and returns what is wrong then.
func (w *testWorld) recovers() (wrong []string) {
	for range 2 {
		if err := w.reconcile("a", noProcesses); err != nil {
			wrong = append(wrong, "the next reconcile fails: "+w.words(err.Error()))
		}
	}
	for _, text := range []string{"kept 1"} {
		if !testhome.HoldsText(text, w.shared) {
			wrong = append(wrong, fmt.Sprintf("%q is not in the shared home", text))
		}
	}
	for _, left := range w.findings("a") {
		wrong = append(wrong, "two reconciles leave "+left)
	}
	for _, log := range w.strayLogs() {
		wrong = append(wrong, "a log without its database: "+log)
	}
	for _, line := range w.tree(w.shared) {
		if strings.Contains(line, disk.CopyPrefix) {
			wrong = append(wrong, "an unfinished copy stays: "+disk.CopyPrefix)
		}
	}
	return wrong
}

// TestEngineDevicesRacedDatabase: another program makes a database of the same name while one is copied. Each database keeps its own log,
// and neither stops the start.
func TestEngineDevicesRacedDatabase(t *testing.T) {
	s := newStepper(t)
	for _, before := range []string{"stat " + databaseName + "-wal", "open " + databaseName + "-wal", "open " + databaseName} {
		t.Run(before, func(t *testing.T) {
			w := newTwoDeviceWorld(t, "a")
			putDatabase(t, w.codex("a"), "kept 1")
			acted := false
			_, err := s.run(func() error { return w.reconcile("a", noProcesses) }, func(_ int, call string) unix.Errno {
				if !acted && call == before {
					acted = true
					testhome.NoError(t, disk.RemoveIfExists(filepath.Join(w.shared, databaseName+"-wal"))) // as SQLite does
					putDatabase(t, w.shared, "kept 2")
				}
				return 0
			})
			if err != nil || !acted {
				t.Errorf("Reconcile = %v, the program acted: %v, want no error and true", err, acted)
			}
			if stray := w.wrongLog(); stray != "" {
				t.Errorf("the shared home has %s", stray)
			}
			testhome.NoError(t, w.settle())
			wantHeld(t, w, "kept 1", "kept 1 log")
			wantText(t, filepath.Join(w.shared, databaseName+"-wal"), "kept 2 log")
		})
	}
}
