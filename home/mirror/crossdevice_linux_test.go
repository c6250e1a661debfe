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
	w.do(`put $own/notes file; put $own/proj/deep/file deep; symlink /usr $own/link; database $own db; start quiet; start quiet
		want $own/notes file; gone $shared/notes; start rest`)
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
	}
	for _, left := range w.leftovers() {
		t.Error(left)
	}
}

// TestEngineDevicesWait: what needs one inode stays private, and a link that a program replaced waits until nothing runs; meanwhile nothing grows.
func TestEngineDevicesWait(t *testing.T) {
	for _, script := range []string{
		`put $own/.credentials.json own; put $shared/.credentials.json shared; settle
			want $own/.credentials.json own; want $shared/.credentials.json shared; gone $b/.credentials.json`,
		`share config.toml old; replace $own/config.toml new; start busy; start busy; start busy; gone $kept/*; start rest
			want $shared/config.toml new; said 0; settle`,
	} {
		w := newTwoDeviceWorld(t, "a", "b")
		w.do(script)
		wantSettled(t, w)
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
	w.do(`share config.toml old; age $shared/config.toml 1h`)
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
		if info.Mode() != 0o640|os.ModeSetgid || attribute(path, aclAttribute) != string(aclFor(1234)) || attribute(path, tagAttribute) != "mine" ||
			slices.Contains(kept, path) && time.Since(info.ModTime()) < time.Hour {
			t.Errorf("%s of %v has %v, %q, %q", path, info.ModTime(), info.Mode(), attribute(path, aclAttribute), attribute(path, tagAttribute))
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
	w.do(`put $own/proj/a kept 1; mkdir $own/proj/deep; put $own/notes text; put $own/other goes on`)
	testhome.NoError(t, unix.Mkfifo(filepath.Join(own, "proj", "deep", "fifo"), 0o600))
	tag(t, filepath.Join(own, "notes"))
	before := w.tree(own)
	w.around = newStepper(t).refuse("setxattr "+tagAttribute, unix.ENOTSUP)
	w.do(`start rest`)
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
			w.do(`held kept 1; held kept 1 log; want $shared/state_5.sqlite-wal kept 2 log`)
		})
	}
}
