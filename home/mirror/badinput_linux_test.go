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
	w.do(`tick; start rest`)
	wantHuge(t, filepath.Join(w.shared, "image"))
	testhome.NoError(t, exec.Command("cp", "-a", filepath.Join(own, "image"), filepath.Join(own, "copy")).Run())
	w.do(`settle`)
	wantHuge(t, filepath.Join(w.shared, "copy"))
	w.do(`replace $own/image new; settle; want $shared/image new`)
	wantHuge(t, one(filepath.Join(w.kept(), "*", "files", "image")))
}

func TestEngineDevicesHugeFile(t *testing.T) {
	w := newTwoDeviceWorld(t, "a")
	putHuge(t, filepath.Join(w.codex("a"), "image"))
	w.do(`settle`)
	wantHuge(t, filepath.Join(w.shared, "image"))
}

// What the system does not let anybody move stays where it is, stops nothing, and is shared once it may be moved.
func TestEngineImmutable(t *testing.T) {
	for name, start := range map[string]string{
		"new": `put $own/notes own`, "replaced": `put $shared/notes shared; tick; start rest; replace $own/notes own`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, t.TempDir(), "a")
			w.do(start)
			shared := testhome.TextOf(w.shared + "/notes")
			for n, file := range []string{w.codex("a") + "/notes", w.shared + "/notes"} {
				if !testhome.Exists(file) {
					continue
				}
				if out, err := exec.Command("chattr", "+i", file).CombinedOutput(); err != nil {
					t.Logf("no file can be made immutable here: %s", out)
					return
				}
				t.Cleanup(func() { _ = exec.Command("chattr", "-i", file).Run() }) // it may be gone
				w.do(fmt.Sprintf(`put $own/beside%d text; start rest; want $own/notes own; want $shared/beside%[1]d text; gone $root/accounts/a/moving/*`, n))
				wantText(t, w.shared+"/notes", shared)
				testhome.NoError(t, exec.Command("chattr", "-i", file).Run())
			}
			w.do(`settle; want $shared/notes own`)
		})
	}
}

// A device stays where it was made; another user's file is shared as it is. Only the superuser can make them.
func TestEngineForeignEntries(t *testing.T) {
	if os.Geteuid() != 0 {
		return
	}
	w := newWorld(t, testhome.Scratch(t), "a")
	if err := unix.Mknod(w.codex("a")+"/device", unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3))); err != nil {
		t.Logf("no device can be made here: %v", err)
	}
	w.do(`put $own/file text`)
	testhome.NoError(t, os.Chown(w.codex("a")+"/file", 12345, 12345))
	w.do(`settle; gone $shared/device; want $own/file text`)
	info, err := os.Stat(filepath.Join(w.shared, "file"))
	testhome.NoError(t, err)
	if uid := info.Sys().(*syscall.Stat_t).Uid; uid != 12345 {
		t.Errorf("the file belongs to %d, want its owner", uid)
	}
}

// A mount point in the sandbox, on a file or a directory, with or without a shared entry, stays, and stops nothing. Unmounted, it is shared.
func TestEngineMountPoints(t *testing.T) {
	if !testhome.InNamespace(t) {
		return
	}
	dir := testhome.Scratch(t)
	for n, shared := range []string{"", `put $shared/entry shared; `} {
		for entry, source := range map[string]string{"entry": "source", "entry/in": "source/in"} {
			w := newWorld(t, filepath.Join(dir, fmt.Sprintf("%d-%d", n, len(entry))), "a")
			w.do(shared + fmt.Sprintf(`put $own/%s the own one; put $home/%s the mounted one; put $own/other other`, entry, source))
			testhome.NoError(t, unix.Mount(filepath.Join(w.home, "source"), filepath.Join(w.codex("a"), "entry"), "", unix.MS_BIND, ""))
			w.do(`start rest; want $own/` + entry + ` the mounted one; want $shared/other other`)
			testhome.NoError(t, unix.Unmount(filepath.Join(w.codex("a"), "entry"), 0))
			w.do(`want $own/` + entry + ` the own one; settle; held the own one; held the mounted one`)
		}
	}
}

// Where there is no room to keep a version, nothing takes its place: a start tells the user, and the next scan finds it again.
func TestEngineFullDiskKeepsVersions(t *testing.T) {
	s := newStepper(t)
	for f := range faults(0, 1) {
		w := newStarted(t, testhome.Scratch(t), "a replaced link")
		fails := f.fail()
		_, err := s.run(func() error { return w.reconcile("a", noProcesses) }, func(n int, call string) unix.Errno {
			switch verb, _, _ := strings.Cut(call, " "); verb {
			case "rename", "link", "symlink", "mkdir", "open", "write":
				return fails(n, call)
			}
			f.met = f.met || n == f.at // needs no room
			return 0
		})
		replaced := testhome.TextOf(filepath.Join(w.shared, "config.toml")) == "kept 1"
		if !replaced && f.log != "" && err == nil && len(w.said) == 0 {
			t.Errorf("%s: the version waits, and nothing is said", w.words(f.log))
		}
		w.do(`held replaced; held kept 1; settle; held replaced; want $shared/config.toml kept 1`)
	}
}
