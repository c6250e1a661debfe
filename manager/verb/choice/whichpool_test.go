//go:build unix

package choice

import (
	"testing"

	"swop/internal/limits/pool"
	"swop/internal/test/testcall"
	"swop/manager/verb/limits"
)

// Below the table, which has a row for each account and its titles, are the accounts that are missing.
func TestPoolLines(t *testing.T) {
	p := &poolAnswer{Missing: []string{"gone"}}
	for _, label := range []string{"work", "ci"} {
		p.Accounts = append(p.Accounts, poolEntry{UsageEntry: limits.UsageEntry{Label: label, Key: label}, Room: pool.Unknown})
	}
	if lines := p.lines(testcall.New(t), "work"); len(lines) != 5 || lines[2][0] != '*' || lines[3][0] != ' ' {
		t.Errorf("the pool's table is %q, want an empty line, the titles, two accounts of which the first is marked, and the missing one", lines)
	}
}
