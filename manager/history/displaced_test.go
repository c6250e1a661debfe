//go:build unix

package history

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
	"swop/manager/disk"
)

// displace plants a version as earlier releases kept it.
func (p place) displace(name, text string) {
	p.t.Helper()
	file := filepath.Join(p.Path(displacedDir), name)
	p.ok(os.MkdirAll(filepath.Dir(file), 0o700))
	p.ok(os.WriteFile(file, []byte(text), 0o600))
}

// taken returns what is kept, by account and time too.
func (p place) taken() (lines []string) {
	for _, v := range p.list() {
		lines = append(lines, fmt.Sprintf("%s %s %q %q %s %s", v.Account, v.View, v.Path, v.Files, v.Time.Format(time.DateTime), v.Why))
	}
	slices.Sort(lines)
	return lines
}

func (p place) takeOver() {
	p.t.Helper()
	p.ok(os.MkdirAll(p.Home+"/.codex", 0o700))
	p.ok(TakeOver(p.Layout, p.root(), noon))
}

func TestTakeOver(t *testing.T) {
	p := newPlace(t)
	p.takeOver()
	wantLines(t, p.taken(), nil)
	p.displace("work/20260101T000000Z/codex/config.toml", "one")
	p.displace("work/20260101T000000Z/codex/a.sqlite", "one")
	p.displace("work/20260101T000000Z/codex/a.sqlite-wal", "one")
	p.displace("work/20260101T000000Z/codex/b-wal", "of no database")
	p.displace("work/20260101T000000Z.2/home/.gitconfig", "one")
	p.displace("work/20260101T000000Z.2/home/.gitconfig.2", "two")
	p.displace("work/20260101T000000Z.2/home/notes.2", "its name")
	p.displace("gone/20260102T000000Z/home/dir/a", "one")
	p.displace("gone/20260102T000000Z/home/line\nbreak\xff", "one")
	p.displace("work/20260101T000000Z/codex/"+disk.CopyName(), "not finished")
	p.displace("work/notes/codex/file", "not ours")
	p.displace("work/20260101T000000Z/other/file", "not ours")
	outside := t.TempDir()
	p.ok(os.MkdirAll(outside+"/codex", 0o700))
	p.ok(os.WriteFile(outside+"/codex/mine", nil, 0o600))
	p.ok(os.Symlink(outside, p.Path(displacedDir)+"/work/20260103T000000Z"))
	p.ok(os.MkdirAll(p.Home+"/.codex", 0o700))
	if err := TakeOver(p.Layout, p.root(), noon); err == nil {
		t.Error("TakeOver does not say that it left a link")
	}
	want := []string{
		`gone home "dir" ["dir"] 2026-01-02 00:00:00 older`,
		`gone home "line\nbreak\xff" ["line\nbreak\xff"] 2026-01-02 00:00:00 older`,
		`work codex "a.sqlite" ["a.sqlite" "a.sqlite-wal"] 2026-01-01 00:00:00 older`,
		`work codex "b-wal" ["b-wal"] 2026-01-01 00:00:00 older`,
		`work codex "config.toml" ["config.toml"] 2026-01-01 00:00:00 older`,
		`work home ".gitconfig" [".gitconfig"] 2026-01-01 00:00:00 older`,
		`work home ".gitconfig" [".gitconfig"] 2026-01-01 00:00:00 older`,
		`work home "notes.2" ["notes.2"] 2026-01-01 00:00:00 older`,
	}
	wantLines(t, p.taken(), want)
	p.ok(os.Remove(p.Path(displacedDir) + "/work/20260103T000000Z"))
	p.takeOver()
	wantLines(t, p.taken(), want)
	for _, name := range []string{"gone", "work/20260101T000000Z/codex", "work/20260101T000000Z.2"} {
		if testhome.Exists(filepath.Join(p.Path(displacedDir), name)) {
			t.Errorf("displaced/%s is left", name)
		}
	}
	for _, path := range []string{p.Path(displacedDir) + "/work/notes/codex/file", p.Path(displacedDir) + "/work/20260101T000000Z/other/file", outside + "/codex/mine"} {
		if !testhome.Exists(path) {
			t.Errorf("%s is gone", path)
		}
	}
	if gone, err := Prune(p.Layout, noon.Add(23*hour), StandardLimits()); err != nil || len(gone) > 0 {
		t.Errorf("of what was taken over %v is pruned at once: %v", show(gone), err)
	}
}

// A database and its log are one version, wherever the run before was killed.
func TestTakeOverAgain(t *testing.T) {
	for moved := range 4 {
		p := newPlace(t)
		const dir = "work/20260101T000000Z/codex"
		names := []string{"a.sqlite-shm", "a.sqlite-wal", "a.sqlite"} // in the order in which they are moved
		files := map[string]string{}
		for _, name := range names {
			p.displace(dir+"/"+name, name)
		}
		for _, name := range names[:moved] {
			files[name] = name
		}
		d, err := disk.Open(filepath.Join(p.Path(displacedDir), dir), disk.NoFollow)
		p.ok(err)
		p.ok(gather(d, displacedVersion{path: "a.sqlite"}, About{View: CodexView, Path: "a.sqlite", Account: "work", Time: noon, Why: Older}, files))
		p.ok(d.Close())
		p.takeOver()
		list := p.list()
		if len(list) != 1 || !slices.Equal(list[0].Files, []string{"a.sqlite", "a.sqlite-shm", "a.sqlite-wal"}) {
			t.Errorf("after a run that moved %d of 3: %q", moved, show(list))
		}
	}
}

// A version of any kind is taken over.
func TestTakeOverKinds(t *testing.T) {
	p := newPlace(t)
	dir := p.Path(displacedDir) + "/work/20260101T000000Z/home"
	p.ok(os.MkdirAll(dir+"/dir/closed", 0o700))
	p.ok(os.Chmod(dir+"/dir/closed", 0))
	t.Cleanup(func() { _ = exec.Command("chmod", "-R", "u+rwx", p.Root).Run() }) // so that it can be removed
	p.ok(unix.Mkfifo(dir+"/fifo", 0o600))
	p.ok(os.Symlink("nowhere", dir+"/link"))
	p.takeOver()
	if list := p.taken(); len(list) != 3 {
		t.Errorf("taken over: %q", list)
	}
}
