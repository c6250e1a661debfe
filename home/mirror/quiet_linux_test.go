package mirror

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// holding runs a shell command that has something in dir open, until the test ends.
func holding(t *testing.T, dir, command string) (stop func()) {
	t.Helper()
	cmd := exec.Command("sh", "-c", command+"; echo; read x")
	cmd.Dir = dir
	in, err := cmd.StdinPipe()
	testhome.NoError(t, err)
	out, err := cmd.StdoutPipe()
	testhome.NoError(t, err)
	testhome.NoError(t, cmd.Start())
	_, err = out.Read(make([]byte, 1))
	testhome.NoError(t, err)
	return func() {
		testhome.NoError(t, in.Close())
		_ = cmd.Wait() // read ends with its input
	}
}

// quiet lets an entry be moved at once while a session runs, as after ten seconds.
func quiet(m activity) Options {
	o := m.options()
	o.QuietFor = time.Nanosecond
	return o
}

// linkedScratch returns an empty directory by a path that goes through a link, as a HOME may.
func linkedScratch(t testing.TB) string {
	dir := testhome.Scratch(t)
	link := filepath.Join(dir, "link")
	testhome.NoError(t, os.Mkdir(filepath.Join(dir, "dir"), 0o700))
	testhome.NoError(t, os.Symlink("dir", link))
	return link
}

// Nothing that a process has open, or is in, is moved, whether a session runs or only the server.
func TestEngineLeavesWhatIsOpen(t *testing.T) {
	for name, c := range map[string]struct{ make, hold, entry string }{
		"a file":              {"echo text >new", "exec 3<new", "new"},
		"a file to write":     {"echo text >new", "exec 3>>new", "new"},
		"a working directory": {"mkdir new", "cd new", "new"},
		"a file in one":       {"mkdir new; echo text >new/file", "exec 3<new/file", "new"},
		"a deep directory":    {"mkdir -p new/a/b", "cd new/a/b", "new"},
		"a replaced file":     {"rm notes; echo text >notes", "exec 3<notes", "notes"},
		"a log":               {`echo text >new; printf '\067\177\006\202' >new-wal`, "exec 3<new-wal", "new"},
		"a replaced dir":      {"rm dir; mkdir dir", "cd dir", "dir"},
	} {
		for _, m := range []activity{busy, idle} {
			w := newWorld(t, linkedScratch(t), "a")
			testhome.NoError(t, os.Mkdir(filepath.Join(w.shared, "dir"), 0o700))
			testhome.PutText(t, filepath.Join(w.shared, "notes"), "shared")
			w.reconcileAfterTick()
			own := filepath.Join(w.codex("a"), c.entry)
			holding(t, w.codex("a"), c.make)()
			stop := holding(t, w.codex("a"), c.hold)
			testhome.Tick(t)
			before := inodeOf(own)
			for range 2 {
				testhome.NoError(t, w.reconcileWith("a", quiet(m)))
			}
			if inodeOf(own) != before {
				t.Errorf("%s, activity %d: it was moved", name, m)
			}
			stop()
			testhome.NoError(t, w.settle())
			if inodeOf(own) == before {
				t.Errorf("%s, activity %d: it was not moved in the end", name, m)
			}
		}
	}
}

// While a session runs, a file that took the place of a link is moved once it is quiet; a database waits for the end.
func TestEngineLeavesWhatIsNotQuiet(t *testing.T) {
	for _, log := range []string{"", "notes-wal"} {
		w := newWorld(t, testhome.Scratch(t), "a")
		shareFile(t, w, "notes", "old")
		replaceFile(t, filepath.Join(w.codex("a"), "notes"), logHeader)
		if log != "" {
			testhome.PutText(t, filepath.Join(w.codex("a"), log), logHeader)
		}
		testhome.Tick(t)
		testhome.NoError(t, w.reconcile("a", busy))
		wantText(t, filepath.Join(w.shared, "notes"), "old")
		testhome.NoError(t, w.reconcileWith("a", quiet(busy)))
		wantText(t, filepath.Join(w.shared, "notes"), map[bool]string{true: "old", false: logHeader}[log != ""])
	}
}

// A file system that gives no leases, as NFS, refuses them with the error of a file that is open. There a program of another host may have anything
// open while a session runs, so nothing is moved then; later what a program has open is asked of /proc, and all else is shared.
func TestEngineWithoutLeases(t *testing.T) {
	noLeases := func(_ int, call string) unix.Errno {
		if call == "lease" {
			return unix.EAGAIN
		}
		return 0
	}
	s := newStepper(t)
	w := newWorld(t, testhome.Scratch(t), "a")
	testhome.PutText(t, filepath.Join(w.shared, "replaced"), "old")
	w.reconcileAfterTick()
	own := w.codex("a")
	replaceFile(t, filepath.Join(own, "replaced"), "new")
	testhome.PutText(t, filepath.Join(own, "open"), "new")
	testhome.Tick(t)
	putDatabase(t, own, "db")
	stop := holding(t, own, "exec 3<open")
	_, err := s.run(func() error { return w.reconcileWith("a", quiet(busy)) }, noLeases)
	testhome.NoError(t, err)
	wantText(t, filepath.Join(w.shared, "replaced"), "old") // while a session runs
	_, err = s.run(func() error { return w.reconcile("a", idle) }, noLeases)
	testhome.NoError(t, err)
	wantText(t, filepath.Join(w.shared, "replaced"), "new")
	if testhome.Exists(filepath.Join(w.shared, "open")) {
		t.Error("a file that a program has open was moved")
	}
	stop()
	_, err = s.run(func() error { return w.reconcile("a", noProcesses) }, noLeases)
	testhome.NoError(t, err)
	wantText(t, filepath.Join(w.shared, "open"), "new")
	wantText(t, filepath.Join(w.shared, databaseName+"-wal"), "db log")
}
