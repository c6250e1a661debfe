//go:build unix

package swop

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestVersionText(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	for _, tt := range []struct {
		name     string
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		{"tagged", "v1.2.3", vcs(commit, "false"), "v1.2.3 0123456789ab"},
		{"a tag with changes", "v1.2.3+dirty", vcs(commit, "true"), "v1.2.3+dirty 0123456789ab"},
		{"after a tag", "v1.2.4-0.20261120120314-0123456789ab", vcs(commit, "false"), "v1.2.4-0.20261120120314-0123456789ab"},
		{"dirty", "v0.0.0-20261120120314-0123456789ab+dirty", vcs(commit, "true"), "v0.0.0-20261120120314-0123456789ab+dirty"},
		{"devel", "(devel)", nil, "(devel)"},
		{"no version", "", nil, "(devel)"},
		{"devel at a commit", "(devel)", vcs(commit, "false"), "(devel) 0123456789ab"},
		{"devel with changes", "(devel)", vcs(commit, "true"), "(devel) 0123456789ab dirty"},
		{"a short revision", "(devel)", vcs("17", "false"), "(devel)"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: tt.version}, Settings: tt.settings}
		want := "swop " + tt.want + " " + platform()
		if got := versionText(info); got != want {
			t.Errorf("%s: versionText = %q, want %q", tt.name, got, want)
		}
	}
	if got, want := versionText(nil), "swop (devel) "+platform(); got != want {
		t.Errorf("without build info: versionText = %q, want %q", got, want)
	}
}

func platform() string { return runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH }

func vcs(revision, modified string) []debug.BuildSetting {
	return []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: modified}}
}
