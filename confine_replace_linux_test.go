package swop_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/confine"
	"swop/internal/testhome"
)

// TestReplaced: a program outside replaces .git again and again while a session writes to it as fast as it can. Between the rename and the new
// mount it may succeed; but the user is told what changed then, and nothing changes afterwards.
func TestReplaced(t *testing.T) {
	testhome.Needs(t, "userns")
	times := 200
	switch {
	case *complete:
		times = 1000
	case testing.Short():
		times = 20
	}
	makePrograms(t)
	b := newBattlefield(t)
	project := filepath.Join(b.home, "project")
	git, next := filepath.Join(project, ".git"), filepath.Join(b.home, "next")
	session := b.in(exec.Command("codex", "exec"))
	session.Env = append(session.Env, "SWOP_ACCOUNT=work", "SWOP_CONFINE=workspace-write", "FAKE_SH=touch up; attack scribble .git/config stop")
	testhome.NoError(t, session.Start())
	awaitFile(t, filepath.Join(project, "up"))
	file := filepath.Join(b.home, ".swop", "log", "confinement.jsonl")
	hits, slowest := 0, time.Duration(0)
	for i := range times {
		testhome.NoError(t, os.RemoveAll(next)) // what was mounted once stays read-only
		for name, text := range map[string]string{"HEAD": "ref: refs/heads/main\n", "refs/x": "", "objects/x": "", "config": "clean\n"} {
			b.put("next/"+name, text)
		}
		began := time.Now()
		testhome.NoError(t, unix.Renameat2(unix.AT_FDCWD, next, unix.AT_FDCWD, git, unix.RENAME_EXCHANGE))
		said := awaitNotice(t, file, i+1)
		slowest = max(slowest, time.Since(began))
		text := testhome.TextOf(filepath.Join(git, "config"))
		if strings.Contains(text, "evil") {
			hits++
			if !strings.Contains(said, git+"/config") {
				t.Fatalf("replacement %d: the session wrote %q, and the user is told %q", i, text, said)
			}
		}
		now := testhome.TextOf(filepath.Join(git, "config"))
		if once := strings.Contains(text, "evil") && now == text+"evil\n"; now != text && !once { // by a file that it had opened before
			t.Fatalf("replacement %d: the session goes on writing: %q", i, now)
		}
	}
	testhome.NoError(t, os.WriteFile(filepath.Join(project, "stop"), nil, 0o600))
	testhome.NoError(t, session.Wait())
	t.Logf("of %d replacements the session wrote into %d before the new mount; all were told; the slowest took %v", times, hits, slowest)
}

// scribble writes to a file as often as it can until another one is there.
func scribble(file, stop string) error {
	for n := 0; ; n++ {
		if fd, err := unix.Open(file, unix.O_WRONLY|unix.O_APPEND, 0); err == nil {
			_, _ = unix.Write(fd, []byte("evil\n")) // it may have become read-only
			_ = unix.Close(fd)
		}
		if n%1000 == 0 {
			if _, err := os.Stat(stop); err == nil {
				return nil
			}
		}
	}
}

func awaitFile(t *testing.T, file string) {
	t.Helper()
	for range 2000 {
		if _, err := os.Stat(file); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s does not appear", file)
}

// awaitNotice returns what the n-th notice of a replacement in the log says.
func awaitNotice(t *testing.T, file string, n int) string {
	t.Helper()
	for range 20000 {
		if list := notices(t, file); len(list) >= n {
			return list[n-1]
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("replacement %d is not noticed", n)
	return ""
}

func notices(t *testing.T, file string) (list []string) {
	t.Helper()
	f, err := os.Open(file)
	testhome.NoError(t, err)
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var e confine.Event
		if json.Unmarshal(lines.Bytes(), &e) == nil && e.Kind == confine.Replaced {
			list = append(list, e.Reason)
		}
	}
	return list
}
