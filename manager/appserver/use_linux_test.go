package appserver

import (
	"slices"
	"testing"

	"swop/manager/process"
	"swop/manager/process/processtest"
)

func mustUse(t *testing.T, a processtest.TestAccount) process.Use {
	t.Helper()
	use, err := process.InUse(a.CodexHome, a.Lock)
	if err != nil {
		t.Fatal(err)
	}
	return use
}

// wantUse checks that these processes use the account, and no hidden one.
func wantUse(t *testing.T, a processtest.TestAccount, want ...int) {
	t.Helper()
	slices.Sort(want)
	use := mustUse(t, a)
	if got := pids(use.Processes); !slices.Equal(got, want) || use.Unseen || use.NoLocks {
		t.Errorf("InUse = %v, unseen %v, no locks %v; want the pids %v", use.Processes, use.Unseen, use.NoLocks, want)
	}
}

func pids(list []process.Process) []int {
	var all []int
	for _, p := range list {
		all = append(all, p.PID)
	}
	return all
}
