package mirror

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"swop/home/journal"
	"swop/internal/testhome"
)

const hugeSize = 5 << 30

// putHuge makes a sparse file of 5 GB, with a text at its start and one at its end.
func putHuge(t testing.TB, file string) {
	t.Helper()
	testhome.PutText(t, file, "first")
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	testhome.NoError(t, err)
	_, err = f.WriteAt([]byte("last"), hugeSize-4)
	testhome.NoError(t, err)
	testhome.NoError(t, f.Close())
}

// wantHuge checks that the file is like that of putHuge, and as sparse.
func wantHuge(t testing.TB, file string) {
	t.Helper()
	f, err := os.Open(file)
	testhome.NoError(t, err)
	defer f.Close()
	first, last := make([]byte, 5), make([]byte, 4)
	_, err = f.ReadAt(first, 0)
	testhome.NoError(t, err)
	_, err = f.ReadAt(last, hugeSize-4)
	testhome.NoError(t, err)
	info, err := f.Stat()
	testhome.NoError(t, err)
	if used := info.Sys().(*syscall.Stat_t).Blocks * 512; info.Size() != hugeSize || string(first) != "first" || string(last) != "last" || used > 1<<20 {
		t.Errorf("%s has %d bytes from %q to %q, and occupies %d", file, info.Size(), first, last, used)
	}
}

// A sparse file stays one where it is moved, copied by its link, replaced, and brought to another file system.
func TestEngineHugeFile(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	own := w.codex("a")
	putHuge(t, filepath.Join(own, "image"))
	w.reconcileAfterTick()
	wantHuge(t, filepath.Join(w.shared, "image"))
	testhome.NoError(t, exec.Command("cp", "-a", filepath.Join(own, "image"), filepath.Join(own, "copy")).Run())
	testhome.NoError(t, w.settle())
	wantHuge(t, filepath.Join(w.shared, "copy"))
	replaceFile(t, filepath.Join(own, "image"), "new")
	testhome.NoError(t, w.settle())
	wantText(t, filepath.Join(w.shared, "image"), "new")
	versions, err := filepath.Glob(filepath.Join(w.kept(), "*", "files", "image"))
	if err != nil || len(versions) != 1 {
		t.Fatalf("kept are %q, %v, want one version", versions, err)
	}
	wantHuge(t, versions[0])
}

func TestEngineDevicesHugeFile(t *testing.T) {
	w := newTwoDeviceWorld(t, "a")
	putHuge(t, filepath.Join(w.codex("a"), "image"))
	testhome.NoError(t, w.settle())
	wantHuge(t, filepath.Join(w.shared, "image"))
}

// A directory of very many files is adopted, shared over to another file system, and kept, with all of them.
func TestEngineManyFiles(t *testing.T) {
	count := 100_000
	if testing.Short() {
		count = 1_000
	}
	make := func(dir string) {
		testhome.NoError(t, os.Mkdir(dir, 0o700))
		for i := range count {
			fd, err := unix.Open(fmt.Sprintf("%s/%d", dir, i), unix.O_CREAT|unix.O_WRONLY, 0o600)
			testhome.NoError(t, err)
			testhome.NoError(t, unix.Close(fd))
		}
	}
	want := func(dir string) {
		t.Helper()
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != count {
			t.Errorf("%s has %d entries, %v, want %d", dir, len(entries), err, count)
		}
	}
	w := newWorld(t, testhome.Scratch(t), "a")
	own := filepath.Join(w.codex("a"), "many")
	make(own)
	testhome.NoError(t, w.settle())
	want(filepath.Join(w.shared, "many"))
	testhome.NoError(t, os.Remove(own))
	make(own)
	testhome.NoError(t, w.settle())
	want(filepath.Join(w.shared, "many"))
	if kept, err := filepath.Glob(filepath.Join(w.kept(), "*", "files", "many")); err != nil || len(kept) != 1 {
		t.Fatalf("kept are %q, %v, want one directory", kept, err)
	} else {
		want(kept[0])
	}
}

// What the system does not let anybody move stays where it is, stops nothing, and is shared once it may be moved.
func TestEngineImmutable(t *testing.T) {
	for name, shared := range map[string]string{"new": "", "replaced": "shared"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, t.TempDir(), "a")
			own, there := filepath.Join(w.codex("a"), "notes"), filepath.Join(w.shared, "notes")
			if shared != "" {
				testhome.PutText(t, there, shared)
				w.reconcileAfterTick()
				replaceFile(t, own, "own")
			}
			testhome.PutText(t, own, "own")
			fixed := []string{own}
			if shared != "" {
				fixed = append(fixed, there)
			}
			for _, file := range fixed {
				if out, err := exec.Command("chattr", "+i", file).CombinedOutput(); err != nil {
					t.Logf("no file can be made immutable here: %s", out)
					return
				}
				t.Cleanup(func() { _ = exec.Command("chattr", "-i", file).Run() }) // it may be gone
				testhome.PutText(t, filepath.Join(w.codex("a"), "beside-"+filepath.Base(filepath.Dir(file))), "text")
				testhome.NoError(t, w.reconcile("a", noProcesses))
				wantText(t, own, "own")
				if shared != "" {
					wantText(t, there, shared)
				}
				testhome.NoError(t, exec.Command("chattr", "-i", file).Run())
				if left := w.moves(); len(left) > 0 {
					t.Errorf("an interrupted move is left: %q", left)
				}
			}
			wantHeld(t, w, "own", "text")
			wantText(t, there, "own")
		})
	}
}

// moves returns what is left in the account's directory of moves.
func (w *testWorld) moves() []string {
	left, err := filepath.Glob(filepath.Join(w.accounts["a"].Dir, journal.MovesDir, "*"))
	testhome.NoError(w.t, err)
	return left
}

// A device stays where it was made; another user's file is shared as it is. Only the superuser can make them.
func TestEngineForeignEntries(t *testing.T) {
	if os.Geteuid() != 0 {
		return
	}
	w := newWorld(t, testhome.Scratch(t), "a")
	device, file := filepath.Join(w.codex("a"), "device"), filepath.Join(w.codex("a"), "file")
	if err := unix.Mknod(device, unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3))); err != nil {
		t.Logf("no device can be made here: %v", err)
	}
	testhome.PutText(t, file, "text")
	testhome.NoError(t, os.Chown(file, 12345, 12345))
	testhome.NoError(t, w.settle())
	if testhome.Exists(filepath.Join(w.shared, "device")) {
		t.Error("the device was shared")
	}
	info, err := os.Stat(filepath.Join(w.shared, "file"))
	testhome.NoError(t, err)
	if uid := info.Sys().(*syscall.Stat_t).Uid; uid != 12345 {
		t.Errorf("the file belongs to %d, want its owner", uid)
	}
	wantText(t, file, "text")
}

// A mount point in the sandbox, on a file or a directory, with or without a shared entry, stays, and stops nothing. Unmounted, it is shared.
func TestEngineMountPoints(t *testing.T) {
	if !inNamespace(t) {
		return
	}
	dir := testhome.Scratch(t)
	for _, shared := range []string{"", "shared"} {
		for _, kind := range []string{"file", "directory"} {
			w := newWorld(t, filepath.Join(dir, kind+shared), "a")
			own, source := filepath.Join(w.codex("a"), "entry"), filepath.Join(w.home, "source")
			below := ""
			if kind == "directory" {
				below = "/in"
			}
			for _, at := range []string{own, source} {
				testhome.NoError(t, os.MkdirAll(filepath.Dir(at+below), 0o700))
			}
			testhome.PutText(t, own+below, "own")
			testhome.PutText(t, source+below, "mounted")
			if shared != "" {
				testhome.PutText(t, filepath.Join(w.shared, "entry"), shared)
			}
			testhome.NoError(t, unix.Mount(source, own, "", unix.MS_BIND, ""))
			testhome.PutText(t, filepath.Join(w.codex("a"), "other"), "other")
			testhome.NoError(t, w.reconcile("a", noProcesses))
			wantText(t, own+below, "mounted")
			wantText(t, filepath.Join(w.shared, "other"), "other")
			unmount(t, own)
			wantText(t, own+below, "own")
			wantHeld(t, w, "own", "mounted")
		}
	}
}

// Where there is no room to keep a version, nothing takes its place, it is said, and the next scan finds it again.
func TestEngineFullDiskKeepsVersions(t *testing.T) {
	s := newStepper(t)
	for f := range faults(0, 1) {
		w := newBroken(t, testhome.Scratch(t), startStates["a replaced link"])
		fails := f.fail()
		_, err := s.run(func() error { return w.reconcile("a", noProcesses) }, func(n int, call string) unix.Errno {
			switch verb, _, _ := strings.Cut(call, " "); verb {
			case "rename", "link", "symlink", "mkdir", "open", "write":
				return fails(n, call)
			}
			f.met = f.met || n == f.at // needs no room
			return 0
		})
		wantEither(t, w, f, err)
		wantHeld(t, w, "replaced", "kept 1")
		wantText(t, filepath.Join(w.shared, "config.toml"), "kept 1")
	}
}

// wantEither checks that a version that is not the shared one is kept, or that the shared one was not replaced, which is said.
func wantEither(t *testing.T, w *testWorld, f *fault, err error) {
	t.Helper()
	held := testhome.HoldsText("replaced", w.home, w.store.Root) && testhome.HoldsText("kept 1", w.home, w.store.Root)
	replaced := testhome.TextOf(filepath.Join(w.shared, "config.toml")) == "kept 1"
	if !held || !replaced && f.log != "" && err == nil && len(w.said) == 0 {
		t.Errorf("%s: both versions are there: %v, replaced: %v, said: %q, %v", w.words(f.log), held, replaced, w.said, err)
	}
}
