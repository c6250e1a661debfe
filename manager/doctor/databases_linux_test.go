package doctor

import (
	"strings"
	"testing"

	"swop/config"
)

// A file system that gives no leases, as procfs and NFS, may be used by other hosts; a user who has told the databases apart knows.
func TestCheckDatabases(t *testing.T) {
	for _, tt := range []struct {
		home, sqlite string
		want         bool
	}{
		{"/proc", "", true},
		{"/proc", "/var/lib/mine", false},
		{t.TempDir(), "", false},
		{"/does/not/exist", "", false},
	} {
		x := new(exam)
		x.Root.SharedHome.Path, x.Env = tt.home, config.Env{"CODEX_SQLITE_HOME=" + tt.sqlite}
		got := checkDatabases(x)
		said := len(got) == 1 && got[0].State == OK && strings.HasPrefix(got[0].Text, "other hosts may use ")
		if said != tt.want || len(got) > 1 {
			t.Errorf("checkDatabases of %s with CODEX_SQLITE_HOME %q = %+v, want a finding: %v", tt.home, tt.sqlite, got, tt.want)
		}
	}
}
