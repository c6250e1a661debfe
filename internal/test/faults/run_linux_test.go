package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/test/testhome"
	"swop/internal/test/testprogram"
)

func TestMain(m *testing.M) {
	Helper()
	if dir := os.Getenv("FAULTS_THREADS"); dir != "" {
		manyThreads(dir)
		return
	}
	status := testhome.Suite{Tests: m, Programs: []string{testprogram.Codex}}.Run()
	if err := os.RemoveAll(buildDir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// threads is how many threads manyThreads uses.
const threads = 8

// manyThreads makes a file from each of several threads of one process at the same time.
func manyThreads(dir string) {
	var all sync.WaitGroup
	for n := range threads {
		all.Go(func() {
			runtime.LockOSThread()
			if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(n)), []byte("text"), 0o600); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		})
	}
	all.Wait()
}

// shell is a command that runs script in dir.
func shell(dir, script string) Command {
	return Command{Args: []string{"/bin/sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"}, Dir: dir, Within: dir}
}

// traced runs the command to its end and returns its calls.
func traced(t *testing.T, c Command) ([]Call, Result) {
	t.Helper()
	var calls []Call
	r, err := Run(c, func(call Call) Verdict {
		calls = append(calls, call)
		return Verdict{}
	})
	testhome.NoError(t, err)
	return calls, r
}

func real(t *testing.T, dir string) string {
	t.Helper()
	resolved, err := filepath.EvalSymlinks(dir)
	testhome.NoError(t, err)
	return resolved
}

func TestRunSeesEveryChange(t *testing.T) {
	dir := real(t, t.TempDir())
	script := "echo one > a; mkdir d; mv a d/b; ln -s d l; echo two > c; chmod 600 c; rm c; rmdir d 2>&- || exit 7"
	calls, r := traced(t, shell(dir, script))
	var got []string
	for _, c := range calls {
		if c.Changes() {
			for i, path := range c.Paths {
				c.Paths[i] = strings.TrimPrefix(path, dir+"/")
			}
			got = append(got, strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(c.Name, "2"), "at"), "at")+" "+strings.Join(c.Paths, " "))
		}
	}
	want := []string{
		"open a", "write a", "mkdir d", "rename a d/b", "symlink l", "open c", "write c", "chmod c", "unlink c", "rmdir d",
	}
	normal := strings.NewReplacer("fchmod c", "chmod c", "unlink d", "rmdir d").Replace(strings.Join(got, "\n"))
	if normal != strings.Join(want, "\n") || r.Changes != len(want) || r.Status != 7 {
		t.Errorf("status %d, %d changes:\n%s\nwant 7 and:\n%s", r.Status, r.Changes, normal, strings.Join(want, "\n"))
	}
}

// TestRunKillsBefore: killed at the n-th change, the first n are done and no other.
func TestRunKillsBefore(t *testing.T) {
	points := 0
	for ; ; points++ {
		dir := real(t, t.TempDir())
		r, err := Run(shell(dir, "mkdir 0; mkdir 1; (mkdir 2); mkdir 3 & wait; sleep 100 & mkdir 4; kill $!"), func(c Call) Verdict {
			return Verdict{Kill: c.Change == points}
		})
		testhome.NoError(t, err)
		made, err := os.ReadDir(dir)
		if err != nil || len(made) != points {
			t.Errorf("killed at %d: %d directories, %v", points, len(made), err)
		}
		if !r.Killed {
			break
		}
		if r.Status != 128+int(unix.SIGKILL) {
			t.Errorf("killed at %d: status %d", points, r.Status)
		}
	}
	if points != 5 {
		t.Errorf("%d points, want 5", points)
	}
}

// TestRunCountsThreads: the calls of all threads are in one order, and none is missed.
func TestRunCountsThreads(t *testing.T) {
	self, err := os.Executable()
	testhome.NoError(t, err)
	for point := 0; ; point++ {
		dir := real(t, t.TempDir())
		made := 0
		r, err := Run(Command{Args: []string{self}, Env: []string{"FAULTS_THREADS=" + dir}}, func(c Call) Verdict {
			if c.Change != point && strings.HasPrefix(c.Name, "open") {
				made++
			}
			return Verdict{Kill: c.Change == point}
		})
		testhome.NoError(t, err)
		if files, _ := os.ReadDir(dir); len(files) > made || !r.Killed && len(files) != threads {
			t.Errorf("killed at %d: %d files, %d were let be made", point, len(files), made)
		}
		if !r.Killed {
			if want := 2 * threads; point != want || r.Changes != want { // an open and a write each
				t.Errorf("%d points and %d changes, want %d", point, r.Changes, want)
			}
			return
		}
	}
}

func TestRunFails(t *testing.T) {
	for _, c := range []struct {
		script, call, want string
		errno              unix.Errno
	}{
		{"echo text > file", "open", "o space left", unix.ENOSPC},
		{"echo text > file", "write", "I/O error", unix.ENOSPC},
		{"mkdir d", "mkdir", "Read-only file system", unix.EROFS},
		{"mv there other", "rename", "Disk quota exceeded", unix.EDQUOT},
		{"cat there", "open", "Too many open files", unix.EMFILE},
		{"rm there", "unlink", "Input/output error", unix.EIO},
		{"chmod 700 there", "chmod", "Permission denied", unix.EACCES},
	} {
		dir := real(t, t.TempDir())
		testhome.NoError(t, os.WriteFile(filepath.Join(dir, "there"), nil, 0o600))
		failed := 0
		r, err := Run(shell(dir, c.script), func(call Call) Verdict {
			if !strings.Contains(call.Name, c.call) || failed > 0 {
				return Verdict{}
			}
			if !slices.Contains(call.Errors(), c.errno) {
				t.Errorf("%v cannot give %v", call, c.errno)
			}
			failed++
			return Verdict{Error: c.errno}
		})
		if err != nil || failed == 0 || r.Status == 0 || !strings.Contains(r.Stderr, c.want) {
			t.Errorf("%q with %v at %d calls: status %d, %q, %v; want %q", c.script, c.errno, failed, r.Status, r.Stderr, err, c.want)
		}
		if _, err := os.Stat(filepath.Join(dir, "there")); err != nil {
			t.Errorf("%q with %v: the call was made: %v", c.script, c.errno, err)
		}
	}
}

func TestRunPassesSignalsAndStreams(t *testing.T) {
	c := shell(t.TempDir(), "trap 'echo caught' TERM; kill -TERM $$; cat; echo no >&2; kill -HUP $$")
	c.Stdin = "given"
	_, r := traced(t, c)
	if r.Status != 128+int(unix.SIGHUP) || r.Stdout != "caught\ngiven" || r.Stderr != "no\n" {
		t.Errorf("status %d, %q, %q", r.Status, r.Stdout, r.Stderr)
	}
}

// TestRunWatchesReadsWithin: a call that only reads is a site where that is asked for, and is not a change.
func TestRunWatchesReadsWithin(t *testing.T) {
	dir := real(t, t.TempDir())
	testhome.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	calls, r := traced(t, shell(dir, "cat file; exec 9<file; flock -n 9"))
	if r.Changes != 0 || r.Sites < 3 || len(calls) != r.Sites {
		t.Errorf("%d sites, %d changes: %v", r.Sites, r.Changes, calls)
	}
}
