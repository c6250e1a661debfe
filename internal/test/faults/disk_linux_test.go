package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/test/testhome"
)

// TestDiskFull runs each operation on a small file system that is nearly full, of data or of files, with a little more room each time,
// until it succeeds. Each failure is one clear error and loses nothing; once there is room again the operation completes.
func TestDiskFull(t *testing.T) {
	if !testhome.InNamespace(t, "-points="+*points) {
		return
	}
	var sum tally
	dir := t.TempDir()
	tried := diskSome
	if testing.Short() {
		tried = tried[:1]
	}
	for _, o := range operations {
		if o.real || *points == "some" && !slices.Contains(tried, o.name) {
			continue
		}
		for _, b := range []ballast{data, files} {
			one := o.onFullDisk(t, filepath.Join(dir, fmt.Sprintf("disk %s of %s", o.name, b)), b)
			sum.add(one)
		}
	}
	t.Logf("%d operations on a disk that is full, %d wrong", sum.points, sum.lost)
}

// diskSome are the operations that are tried unless all are asked for; with -short the first.
var diskSome = []string{"first start", "start", "add --import", "rename", "remove", "uninstall --purge"}

// ballast is the file that fills a disk.
type ballast string

const (
	data  ballast = "data"
	files ballast = "files"
)

// The disk's limits.
const (
	pageSize  = 4096
	diskPages = 8192 // swop's two programs, installed
	diskFiles = 2000
)

// onFullDisk runs the operation with more and more room until it succeeds.
func (o operation) onFullDisk(t *testing.T, dir string, b ballast) *tally {
	var one tally
	var r reference
	onDisk(t, dir, func() { r = o.runToEnd(t, dir, func(w *world) Result { return w.run(o.in(w)) }) })
	for room, succeeded := 0, false; !succeeded; room = more(room) {
		onDisk(t, dir, func() {
			one.points++
			var wrong []string
			if wrong, succeeded = o.withRoom(t, dir, b, room, r); len(wrong) > 0 {
				one.lost++
				t.Errorf("%s, the disk full of %s except %d:\n%s", o.name, b, room, strings.Join(wrong, "\n"))
			}
		})
		if room > diskPages {
			t.Fatalf("%s never succeeds", o.name)
		}
	}
	return &one
}

// more returns the room of the next try: one page or file more at first, later a larger part, since a program is copied in many equal
// writes.
func more(room int) int {
	if *points == "all" {
		return room + 1 + room/64
	}
	return 3*room + 1
}

// onDisk calls f with a fresh disk at dir.
func onDisk(t *testing.T, dir string, f func()) {
	t.Helper()
	testhome.NoError(t, os.MkdirAll(dir, 0o700))
	testhome.NoError(t, unix.Mount("swop-faults", dir, "tmpfs", 0, fmt.Sprintf("mode=700,nr_blocks=%d,nr_inodes=%d", diskPages, diskFiles)))
	defer func() { testhome.NoError(t, unix.Unmount(dir, unix.MNT_DETACH)) }()
	f()
}

func (o operation) withRoom(t *testing.T, dir string, b ballast, room int, r reference) (wrong []string, succeeded bool) {
	w := o.world(t, filepath.Join(dir, "world"))
	defer w.remove()
	fill(t, dir, b, room)
	result := w.run(o.in(w))
	wrong = append(w.lost(r.keeps), w.torn(o)...)
	empty(t, dir)
	wrong = append(wrong, o.toldFull(w, result)...)
	wrong = append(wrong, r.judge(o, w)...)
	if len(wrong) > 0 {
		wrong = append([]string{fmt.Sprintf("status %d, %s", result.Status, w.words(result.Stderr))}, wrong...)
	}
	return wrong, result.Status == 0
}

// fill fills the disk until this many pages, or files, are free.
func fill(t *testing.T, dir string, b ballast, room int) {
	t.Helper()
	var st unix.Statfs_t
	testhome.NoError(t, unix.Statfs(dir, &st))
	if b == files {
		testhome.NoError(t, os.Mkdir(filepath.Join(dir, "ballast"), 0o700))
		for n := range max(0, int(st.Ffree)-1-room) {
			testhome.NoError(t, os.WriteFile(filepath.Join(dir, "ballast", fmt.Sprint(n)), nil, 0o600))
		}
		return
	}
	f, err := os.OpenFile(filepath.Join(dir, "ballast"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	testhome.NoError(t, err)
	testhome.NoError(t, unix.Fallocate(int(f.Fd()), 0, 0, max(1, int64(st.Bfree)-int64(room))*pageSize))
	testhome.NoError(t, f.Close())
}

func empty(t *testing.T, dir string) {
	t.Helper()
	testhome.NoError(t, os.RemoveAll(filepath.Join(dir, "ballast")))
}

// toldFull returns what is wrong with how a full disk was reported.
func (o operation) toldFull(w *world, r Result) (wrong []string) {
	if r.Status == 0 {
		return nil
	}
	if want := o.statuses(); !slices.Contains(want, r.Status) {
		wrong = append(wrong, fmt.Sprintf("the status is not one of %v", want))
	}
	told := slices.ContainsFunc(strings.Split(r.Stderr, "\n"), func(line string) bool {
		return strings.Contains(line, w.dir) && strings.Contains(line, unix.ENOSPC.Error())
	})
	if !told && !strings.Contains(r.Stderr, "codex login ended with status") {
		wrong = append(wrong, "no line tells of a full disk and where")
	}
	return wrong
}
