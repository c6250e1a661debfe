package faults

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"swop/internal/disk"
	"swop/internal/test/testhome"
)

// TestSynced checks that what the operations rename into place was synced before, and its directory after; that of an account that is
// removed, too. Then neither a crash nor a power failure shows a part of a file. Files that may be lost, as the comment at their writer
// says, are left out.
func TestSynced(t *testing.T) {
	var tried, renamed atomic.Int32
	t.Run("operations", func(t *testing.T) {
		each(t, func(t *testing.T, o operation) {
			tried.Add(1)
			calls := o.undisturbed(t, testhome.Scratch(t)).calls
			for n, c := range calls {
				wrong := ""
				switch {
				case !strings.HasPrefix(filepath.Base(c.Program), "codex") || c.kind != makes || len(c.Paths) != 2:
					continue
				case isTemp(c.Paths[0]) && !slices.Contains([]string{"stamp", "seen"}, filepath.Base(c.Paths[1])):
					wrong = unsynced(calls, n)
				case isTrash(c.Paths[1]) && strings.Contains(c.Paths[0], "/.swop/accounts/"):
					wrong = unsettled(calls[n:], filepath.Dir(c.Paths[0]))
				case isTrash(c.Paths[0]) && strings.Contains(c.Paths[1], "/.swop/accounts/"): // exchanged for the directory of a link
					wrong = unsettled(calls[n:], filepath.Dir(c.Paths[1]))
				default:
					continue
				}
				renamed.Add(1)
				if wrong != "" {
					t.Errorf("%v: %s", c, wrong)
				}
			}
		})
	})
	if renamed.Load() < tried.Load() {
		t.Errorf("only %d files were renamed into place by %d operations", renamed.Load(), tried.Load())
	}
}

func isTrash(file string) bool { return strings.Contains(file, "/.swop/trash/") }

// isTemp reports whether the file is a temporary one, which is renamed to the name that it was written for.
func isTemp(file string) bool {
	if strings.Contains(file, "/.swop/kept/") { // an entry of the user, which is moved
		return false
	}
	ends := func(end string) bool { return strings.HasSuffix(file, end) }
	return disk.IsTemp(filepath.Base(file)) || slices.ContainsFunc([]string{".tmp", ".new", ".swop-new"}, ends)
}

// unsynced returns which sync is missing before or after the n-th call, a rename.
func unsynced(calls []Call, n int) string {
	from, before, after := calls[n].Paths[0], slices.Clone(calls[:n]), calls[n+1:]
	copied := disk.IsTemp(filepath.Base(from))
	slices.Reverse(before)
	last := slices.IndexFunc(before, func(c Call) bool { return c.Paths[0] == from && (c.kind == writes || c.kind == syncs) })
	switch {
	case last < 0 && copied: // moved there
	case last < 0 || before[last].kind != syncs:
		return fmt.Sprintf("%s is not synced before", from)
	}
	if copied && slices.ContainsFunc(after, func(c Call) bool { return c.kind == removes && c.Paths[0] == from }) {
		return "" // the name was not free
	}
	return unsettled(after, filepath.Dir(calls[n].Paths[1]))
}

// unsettled returns that the directory is not synced by these calls.
func unsettled(calls []Call, dir string) string {
	if !slices.ContainsFunc(calls, func(c Call) bool { return c.kind == syncs && c.Paths[0] == dir }) {
		return fmt.Sprintf("%s is not synced after", dir)
	}
	return ""
}
