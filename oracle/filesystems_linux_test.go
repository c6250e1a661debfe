package oracle

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// fileSystem is one that a home may be on.
type fileSystem struct {
	needs string                       // the program that makes it, "" for none
	root  bool                         // a user in a namespace may not mount it
	mount func(dir, work string) error // at dir; work is a directory on another file system
}

// fileSystems are tried beside that of the other tests. NFS is tried elsewhere: it needs a server in the kernel.
var fileSystems = map[string]fileSystem{
	"tmpfs":   {mount: func(dir, _ string) error { return unix.Mount("none", dir, "tmpfs", 0, "mode=700") }},
	"overlay": {mount: overlay},
	"bindfs":  {needs: "bindfs", root: true, mount: func(dir, work string) error { return command("bindfs", work, dir) }},
	"btrfs":   {needs: "mkfs.btrfs", root: true, mount: onLoop("mkfs.btrfs", "-q")},
	"xfs":     {needs: "mkfs.xfs", root: true, mount: onLoop("mkfs.xfs", "-q")},
}

func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

// onLoop mounts a file system that mkfs makes in a file.
func onLoop(mkfs ...string) func(dir, work string) error {
	return func(dir, work string) error {
		image := filepath.Join(work, "image")
		err := os.WriteFile(image, nil, 0o600)
		if err == nil {
			err = os.Truncate(image, 512<<20)
		}
		if err == nil {
			err = command(mkfs[0], append(mkfs[1:], image)...)
		}
		if err == nil {
			err = command("mount", "-o", "loop", image, dir)
		}
		return err
	}
}

// overlay mounts an overlay, as a container has it: the homes are on the lower layer, and what is changed goes to the upper one.
func overlay(dir, work string) error {
	options := fmt.Sprintf("lowerdir=%s,upperdir=%s/upper,workdir=%s/work", dir, work, work)
	if testhome.MountsAsUser() {
		options += ",userxattr"
	}
	for name := range everyday {
		w := &world{plain: filepath.Join(dir, name, "plain", "home"), real: filepath.Join(dir, name, "swop", "home")}
		if err := w.makeHomes(); err != nil {
			return err
		}
	}
	err := unix.Mount("none", work, "tmpfs", 0, "mode=700") // on an overlay there can be no other
	if err == nil {
		err = errors.Join(os.Mkdir(work+"/upper", 0o700), os.Mkdir(work+"/work", 0o700))
	}
	if err == nil {
		err = unix.Mount("none", dir, "overlay", 0, options)
	}
	return err
}

// everyday are sequences that no file system may change: some of [TestTable], and more.
var everyday = func() map[string]func(*play) {
	all := map[string]func(*play){"credentials": credentials, "restore": restored, "locks and pids": reliesOnNames}
	for _, name := range []string{
		"database kept open", "cp -a as a backup", "cp -a in the codex home", "ln", "swap", "directory made again", "a new directory", "opened file is not moved",
		"replaced in both accounts",
	} {
		all[name] = sequences[name]
	}
	return all
}()

// credentials: the file that codex refuses to open through a link is one for both accounts.
func credentials(p *play) {
	const name = ".codex/.credentials.json"
	for _, key := range accounts {
		p.in(key, "cat ~/"+name+" >~/seen-"+key, "echo '# by "+key+"' >~/.codex/tmp-"+key, "mv ~/.codex/tmp-"+key+" ~/"+name)
		p.settled()
		p.same(name, "seen-"+key)
	}
	if inode(filepath.Join(p.sandbox("work"), name)) != inode(filepath.Join(p.real, name)) {
		p.t.Error("it is not one file")
	}
}

// restored: the version that a session replaced comes back.
func restored(p *play) {
	p.in("work", "sed -i s/first/second/ ~/z")
	p.settled()
	p.wantKept("# first z\n")
	testhome.NoError(p.t, p.run("", "codex", "swop", "restore", p.real+"/z"))
	if got := testhome.TextOf(p.real + "/z"); got != "# first z\n" {
		p.t.Errorf("restored is %q", got)
	}
}

// TestFileSystems plays everyday sequences on file systems that a home may be on, each in a mount namespace of its own.
func TestFileSystems(t *testing.T) {
	testhome.NotShort(t, "file systems")
	testhome.Needs(t, "sqlite3")
	_, err := built()
	testhome.NoError(t, err)
	if !testhome.InNamespace(t, "-programs="+filepath.Join(buildDir, calm)) {
		return
	}
	for kind, fs := range fileSystems {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			if fs.needs != "" {
				testhome.Needs(t, fs.needs)
			}
			if fs.root && testhome.MountsAsUser() {
				t.Log("only root may mount it")
				return
			}
			dir := mounted(t, fs)
			for name, row := range everyday {
				t.Run(name, func(t *testing.T) {
					p := newPlayIn(t, filepath.Join(dir, name), calm)
					p.when = between
					row(p)
				})
			}
		})
	}
}

// mounted returns a directory on the file system, which stays until the test ends.
func mounted(t *testing.T, fs fileSystem) string {
	t.Helper()
	dir, work := t.TempDir(), t.TempDir()
	t.Cleanup(func() {
		testhome.NoError(t, unix.Unmount(dir, unix.MNT_DETACH))
		_ = unix.Unmount(work, unix.MNT_DETACH) // only an overlay has mounted something there
	})
	testhome.NoError(t, fs.mount(dir, work))
	return dir
}
