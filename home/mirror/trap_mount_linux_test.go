package mirror

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/disk"
	"swop/internal/testhome"
)

// namespace is set in the process that has a mount namespace of its own.
const namespace = "SWOP_TEST_NAMESPACE"

// inNamespace runs the test in a process that may mount, in a mount namespace of its own, and as an ordinary user in a user namespace
// too. It reports whether this is that process.
func inNamespace(t *testing.T) bool {
	if os.Getenv(namespace) != "" {
		return true
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), namespace+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, unix.EPERM) {
		t.Logf("this place allows no mount namespace: %v", err)
		return false
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("in a namespace: %v\n%s", err, out)
	}
	return false
}

func mount(t *testing.T, source, target, kind string, flags uintptr) {
	t.Helper()
	testhome.NoError(t, os.MkdirAll(target, 0o700))
	testhome.NoError(t, unix.Mount(source, target, kind, flags, ""))
	t.Cleanup(func() { _ = unix.Unmount(target, unix.MNT_DETACH) }) // the test may have done it
}

func unmount(t *testing.T, left string) { t.Helper(); testhome.NoError(t, unix.Unmount(left, 0)) }

var mountTraps = []trap{
	{
		name: "a directory of the same file system",
		set: func(t *testing.T, a account.Account, outside string) {
			mount(t, outside, filepath.Join(a.Home(), "mnt"), "", unix.MS_BIND)
		},
		left: "home/mnt",
		free: unmount,
	},
	{
		name: "a directory whose mode would have to be changed",
		set: func(t *testing.T, a account.Account, outside string) {
			mount(t, filepath.Join(outside, "deep"), filepath.Join(a.Home(), "mnt"), "", unix.MS_BIND)
		},
		left: "home/mnt",
		free: unmount,
	},
	{
		name: "in the place of home",
		set: func(t *testing.T, a account.Account, outside string) {
			mount(t, outside, a.Home(), "", unix.MS_BIND)
		},
		left: "home",
		free: unmount,
	},
	{
		name: "a file",
		set: func(t *testing.T, a account.Account, outside string) {
			file := testhome.PutFile(t, filepath.Join(a.Home(), "file"), "")
			testhome.NoError(t, unix.Mount(filepath.Join(outside, "deep", "file"), file, "", unix.MS_BIND, ""))
		},
		left: "home/file",
		free: unmount,
	},
	{
		name: "another file system",
		set: func(t *testing.T, a account.Account, _ string) {
			mount(t, "none", filepath.Join(a.Home(), "dir", "mnt"), "tmpfs", 0)
			testhome.PutFile(t, filepath.Join(a.Home(), "dir", "mnt", "kept"), "x")
		},
		left: "home/dir/mnt",
		free: unmount,
	},
	{
		name: "deeper than one goes",
		set: func(t *testing.T, a account.Account, outside string) {
			mount(t, outside, filepath.Join(a.Home(), strings.Repeat("d/", disk.MaxDepth-1), "mnt"), "", unix.MS_BIND)
		},
		left: "mnt", // in a directory of the trash's own by then
		free: unmount,
	},
}

// What is mounted below a sandbox is named and left, though a bind mount has the device number of all around it. On kernels that know
// no openat2(2), too.
func TestTrapMounts(t *testing.T) {
	if !inNamespace(t) {
		return
	}
	testhome.NoError(t, unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	s := newStepper(t)
	for kernel, missing := range map[string]unix.Errno{"this kernel": 0, "an old kernel": unix.ENOSYS, "a filter": unix.EPERM} {
		for _, tr := range mountTraps {
			t.Run(kernel+"/"+tr.name, func(t *testing.T) {
				old := func(_ int, call string) unix.Errno {
					if strings.HasPrefix(call, "enter ") {
						return missing
					}
					return 0
				}
				w := newTrapped(t, tr)
				_, err := s.run(func() error { return w.Delete(w.work, "") }, old)
				if !errors.Is(err, disk.ErrUnsafe) || !strings.Contains(err.Error(), "is a mount point") {
					t.Errorf("Delete = %v, want a refusal of the mount point", err)
				}
				w.wantLeft(t, tr, err)
				if _, err := s.run(w.EmptyTrash, old); err != nil {
					t.Errorf("EmptyTrash without the mount = %v", err)
				}
				w.wantEmpty(t)
			})
		}
	}
	t.Run("the sandbox itself", testMountedSandbox)
	t.Run("the trash", testMountedTrash)
}

func testMountedSandbox(t *testing.T) {
	w := newTrapped(t, trap{set: func(t *testing.T, a account.Account, _ string) { mount(t, a.Dir, a.Dir, "", unix.MS_BIND) }})
	err := w.Delete(w.work, "")
	if !errors.Is(err, disk.ErrUnsafe) || !strings.Contains(err.Error(), w.work.Dir+": is a mount point") {
		t.Errorf("Delete = %v, want a refusal of the mount point", err)
	}
	wantAccounts(t, w.Store, "other", "work")
	w.wantBeside(t)
}

func testMountedTrash(t *testing.T) {
	w := newTrapped(t, trap{set: func(*testing.T, account.Account, string) {}})
	mount(t, w.outside, w.Path("trash"), "", unix.MS_BIND)
	if err := w.EmptyTrash(); !errors.Is(err, disk.ErrUnsafe) || !strings.Contains(err.Error(), w.Path("trash")+": is a mount point") {
		t.Errorf("EmptyTrash = %v, want a refusal of the mount point", err)
	}
	w.wantBeside(t)
}
