package faults

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/test/testhome"
)

// TestUnseenProcess makes the process that uses an account unreadable, because descriptors have run out. A process that cannot be seen may
// still exist: the account is kept.
func TestUnseenProcess(t *testing.T) {
	for _, file := range []string{"stat", "environ"} {
		dir := testhome.Scratch(t)
		w := newWorld(t, filepath.Join(dir, "world"))
		held(w)
		c := w.command("", nil, "codex-swop", "remove", "personal", "--yes")
		c.Within = "/proc"
		unread := fmt.Sprintf("/proc/%d/%s", w.holder, file)
		failed := 0
		r, err := Run(c, func(c Call) Verdict {
			if len(c.Paths) == 0 || c.Paths[0] != unread {
				return Verdict{}
			}
			failed++
			return Verdict{Error: unix.EMFILE}
		})
		testhome.NoError(t, err)
		if failed == 0 || r.Status != 1 || !strings.Contains(r.Stderr, unix.EMFILE.Error()) || !testhome.Exists(w.at(accountOf("personal"))) {
			t.Errorf("%s could not be read %d times: status %d, %s", unread, failed, r.Status, r.Stderr)
		}
		w.remove()
	}
}
