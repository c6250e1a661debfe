package mount

import (
	"slices"
	"testing"
)

// TestElsewhere: what else leads to a path, by tables as systems have them.
func TestElsewhere(t *testing.T) {
	ostree := Table{
		{"1", "0", "8:1", "/ostree/deploy/x/deploy/1", "/"},
		{"2", "1", "8:1", "/", "/sysroot"},
		{"3", "1", "8:1", "/ostree/deploy/x/var", "/var"},
		{"4", "1", "0:5", "/", "/proc"},
	}
	volumes := Table{
		{"1", "0", "0:30", "/@", "/"}, {"2", "1", "0:30", "/@home", "/home"}, {"3", "1", "0:30", "/", "/mnt/top"}, {"4", "1", "0:30", "/@snapshots", "/.snapshots"},
	}
	moved := Table{{"1", "0", "8:1", "/", "/"}, {"2", "1", "8:1", "/data/home", "/home"}}
	over := Table{{"1", "0", "8:1", "/", "/"}, {"2", "1", "8:1", "/home", "/mnt"}, {"3", "2", "0:9", "/", "/mnt"}}
	parts := Table{{"1", "0", "8:1", "/", "/"}, {"2", "1", "8:1", "/home/me/.ssh/keys", "/srv/keys"}, {"3", "1", "8:2", "/home/me", "/other"}}
	for _, tt := range []struct {
		table Table
		path  string
		parts bool
		want  []string
	}{
		{ostree, "/var/home/me", false, []string{"/sysroot/ostree/deploy/x/var/home/me"}},
		{volumes, "/home/me", true, []string{"/mnt/top/@home/me"}},
		{moved, "/home/me", true, []string{"/data/home/me"}},
		{over, "/home/me", true, nil},
		{parts, "/home/me/.ssh", true, []string{"/srv/keys"}},
		{parts, "/home/me", false, nil},
		{nil, "/home/me", true, nil},
	} {
		if got := tt.table.Elsewhere(tt.path, tt.parts); !slices.Equal(got, tt.want) {
			t.Errorf("%s is at %q too, want %q\n%v", tt.path, got, tt.want, tt.table)
		}
	}
}
