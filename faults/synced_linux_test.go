package faults

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"swop/internal/testhome"
)

// TestSynced checks that what the operations rename into place was synced before, and its directory after. Then neither a crash nor a
// power failure shows a part of a file. Files that may be lost, as the comment at their writer says, are left out.
func TestSynced(t *testing.T) {
	var renamed atomic.Int32
	t.Run("operations", func(t *testing.T) {
		each(t, func(t *testing.T, o operation) {
			calls := o.undisturbed(t, scratch(t)).calls
			for n, c := range calls {
				if !strings.HasPrefix(filepath.Base(c.Program), "codex") || !isTemp(c) {
					continue
				}
				renamed.Add(1)
				if wrong := unsynced(calls, n); wrong != "" {
					t.Errorf("%v: %s", c, wrong)
				}
			}
		})
	})
	if _, step := testhome.Points(t, 3); int(renamed.Load()) < len(operations)/step {
		t.Errorf("only %d files were renamed into place", renamed.Load())
	}
}

// isTemp reports whether the call renames a temporary file to the name that it was written for.
func isTemp(c Call) bool {
	if c.kind != makes || len(c.Paths) != 2 {
		return false
	}
	from := filepath.Base(c.Paths[0])
	if strings.Contains(c.Paths[0], "/moving/") { // an entry of the user, which is moved
		return false
	}
	for _, mark := range []string{".tmp", ".new", ".swop-new"} {
		if strings.HasSuffix(from, mark) {
			return true
		}
	}
	return false
}

// unsynced returns which sync is missing before or after the n-th call, a rename.
func unsynced(calls []Call, n int) string {
	from, dir := calls[n].Paths[0], filepath.Dir(calls[n].Paths[1])
	before := slices.Clone(calls[:n])
	slices.Reverse(before)
	last := slices.IndexFunc(before, func(c Call) bool { return c.Paths[0] == from && (c.kind == writes || c.kind == syncs) })
	if last < 0 || before[last].kind != syncs {
		return fmt.Sprintf("%s is not synced before", from)
	}
	if !slices.ContainsFunc(calls[n:], func(c Call) bool { return c.kind == syncs && c.Paths[0] == dir }) {
		return fmt.Sprintf("%s is not synced after", dir)
	}
	return ""
}
