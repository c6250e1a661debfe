package mirror

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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
			w.do(`mkdir $shared/dir; put $shared/notes shared; tick; start rest`)
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

// A file system that gives no leases, as NFS, refuses them with the error of a file that is open. There a program of another host may have anything
// open while a session runs, so nothing is moved then; later what a program has open is asked of /proc, and all else is shared.
func TestEngineWithoutLeases(t *testing.T) {
	s := newStepper(t)
	w := newWorld(t, testhome.Scratch(t), "a")
	w.do(`put $shared/replaced old; tick; start rest; replace $own/replaced new; put $own/open new; tick; database $own db`)
	stop := holding(t, w.codex("a"), "exec 3<open")
	w.around = s.refuse("lease", unix.EAGAIN)
	w.do(`start quiet; want $shared/replaced old; start idle; want $shared/replaced new; gone $shared/open`)
	stop()
	w.do(`start rest; want $shared/open new; want $shared/state_5.sqlite-wal db log`)
}

// refuse returns what lets the calls that begin like this fail in each start.
func (s *stepper) refuse(prefix string, errno unix.Errno) func(start func() error) error {
	return func(start func() error) error {
		_, err := s.run(start, func(_ int, call string) unix.Errno {
			if strings.HasPrefix(call, prefix) {
				return errno
			}
			return 0
		})
		return err
	}
}

// A program renames the link of a mount point, which cannot be renamed itself. It keeps its name, and nothing is stopped: the link waits, unless its
// new name is a private one, which must not lead to it.
func TestEngineMountPointKeepsItsName(t *testing.T) {
	s := newStepper(t)
	for _, script := range []string{
		`mv $own/mount $own/other; start idle; start idle; want $own/other/file text; said 1`, `mv $own/mount $own/auth.d; start idle; start idle; want $own/mount/file text`,
	} {
		w := newWorld(t, testhome.Scratch(t), "a")
		w.do(`put $shared/mount/file text; tick; start rest`)
		w.around = s.refuse("rename mount to", unix.EBUSY)
		w.do(script)
	}
}
