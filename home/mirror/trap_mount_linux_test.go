package mirror

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/disk"
	"swop/internal/testhome"
)

// mounts is sh for a script that mounts what is unmounted in the end, at left.
func mounts(name, script, left string) trap {
	return trap{name: name, set: sh(script), left: left, free: func(t *testing.T, left string) { testhome.NoError(t, unix.Unmount(left, 0)) }}
}

var mountTraps = []trap{
	mounts("a directory of the same file system", `mkdir home/mnt; mount --bind "$OUT" home/mnt`, "home/mnt"),
	mounts("a directory whose mode would have to be changed", `mkdir home/mnt; mount --bind "$OUT/deep" home/mnt`, "home/mnt"),
	mounts("in the place of home", `mount --bind "$OUT" home`, "home"),
	mounts("a file", `: >home/file; mount --bind "$OUT/deep/file" home/file`, "home/file"),
	mounts("another file system", `mkdir -p home/dir/mnt; mount -t tmpfs none home/dir/mnt; echo x >home/dir/mnt/kept`, "home/dir/mnt"),
	mounts("deeper than one goes", fmt.Sprintf(`at=home/$(printf %%0%dd 0 | sed s,0,d/,g)mnt; mkdir -p $at; mount --bind "$OUT" $at`, disk.MaxDepth-1),
		"mnt"), // in a directory of the trash's own by then
}

// What is mounted below a sandbox is named and left, though a bind mount has the device number of all around it.
func TestTrapMounts(t *testing.T) {
	if !testhome.InNamespace(t) {
		return
	}
	for _, tr := range mountTraps {
		t.Run(tr.name, func(t *testing.T) {
			w := newTrapped(t, tr)
			err := w.Delete(w.work, "")
			if !errors.Is(err, disk.ErrUnsafe) || !strings.Contains(err.Error(), "is a mount point") {
				t.Errorf("Delete = %v, want a refusal of the mount point", err)
			}
			w.wantLeft(t, tr, err)
			if err := w.EmptyTrash(); err != nil {
				t.Errorf("EmptyTrash without the mount = %v", err)
			}
			w.wantEmpty(t)
		})
	}
	t.Run("the sandbox itself", testMountedSandbox)
	t.Run("the trash", testMountedTrash)
}

func testMountedSandbox(t *testing.T) {
	w := newTrapped(t, trap{set: sh(`mount --bind . .`)})
	t.Cleanup(func() { _ = unix.Unmount(w.work.Dir, unix.MNT_DETACH) }) // the namespace ends soon, too
	err := w.Delete(w.work, "")
	if !errors.Is(err, disk.ErrUnsafe) || !strings.Contains(err.Error(), w.work.Dir+": is a mount point") {
		t.Errorf("Delete = %v, want a refusal of the mount point", err)
	}
	wantAccounts(t, w.Store, "other", "work")
	w.wantBeside(t)
}

func testMountedTrash(t *testing.T) {
	w := newTrapped(t, trap{set: sh(`mount --bind "$OUT" ../../trash`)})
	t.Cleanup(func() { _ = unix.Unmount(w.Path("trash"), unix.MNT_DETACH) }) // as above
	if err := w.EmptyTrash(); !errors.Is(err, disk.ErrUnsafe) || !strings.Contains(err.Error(), w.Path("trash")+": is a mount point") {
		t.Errorf("EmptyTrash = %v, want a refusal of the mount point", err)
	}
	w.wantBeside(t)
}
