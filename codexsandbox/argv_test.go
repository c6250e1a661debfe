//go:build unix

package codexsandbox

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

func release(t *testing.T, text string) Release {
	t.Helper()
	r, err := ParseRelease("codex-cli " + text)
	testhome.NoError(t, err)
	return r
}

// The vectors were seen to be understood on Linux by the releases 0.29, 0.59, 0.92, 0.128, 0.155 and 0.169 (the tests in e2e); what
// macOS and Windows do with theirs was not seen.
func TestArgs(t *testing.T) {
	const workspace = "--config sandbox_workspace_write.network_access=false --config sandbox_workspace_write.writable_roots=[] " +
		"--config sandbox_workspace_write.exclude_tmpdir_env_var=false --config sandbox_workspace_write.exclude_slash_tmp=false "
	const readOnly, workspaceWrite = `--config sandbox_mode="read-only" `, `--config sandbox_mode="workspace-write" `
	plain := Request{}
	full := Request{FullAuto: true}
	flags := Request{ConfigOverrides: []string{"b=2", "a=1"}, Enable: []string{"y", "x"}, Disable: []string{"z"}}
	denials := Request{LogDenials: true}
	mode := Request{ConfigOverrides: []string{`sandbox_mode="danger-full-access"`}}
	const passed = "--config b=2 --config a=1 --enable y --enable x --disable z "
	const danger = `--config sandbox_mode="danger-full-access" `
	for _, tt := range []struct {
		release string
		host    Platform
		request Request
		want    string // before "-- COMMAND"; "!" and a text for a refusal
	}{
		{"0.29.0", Linux, plain, "debug landlock "},
		{"0.29.0", Linux, full, "debug landlock " + workspace + "--full-auto "},
		{"0.29.0", Linux, denials, "debug landlock "},
		{"0.29.0", MacOS, plain, "debug seatbelt "},
		{"0.29.0", MacOS, full, "debug seatbelt " + workspace + "--full-auto "},
		{"0.29.0", MacOS, denials, "!a log of denials"},
		{"0.29.0", Windows, plain, "!a sandbox for windows"},
		{"0.29.0", Linux, flags, "!enabling and disabling of features"},
		{"0.29.0", Linux, Request{Platform: MacOS}, "debug seatbelt "},
		{"0.29.0", Linux, Request{ConfigOverrides: []string{"a=1"}}, "debug landlock --config a=1 "},
		{"0.29.0", Linux, mode, "!a sandbox mode by config override"},
		{"0.29.0", Linux, Request{Platform: "seatbelt"}, "debug seatbelt "},
		{"0.29.0", MacOS, Request{Platform: "landlock"}, "debug landlock "},
		{"0.59.0", Linux, Request{Platform: "seatbelt", LogDenials: true}, "sandbox macos --log-denials "},
		{"0.169.0", Linux, Request{Platform: "landlock"}, "sandbox -P :read-only "},
		{"0.44.0", Linux, plain, "debug landlock "},
		{"0.45.0", Linux, plain, "sandbox linux "},
		{"0.45.0", Linux, flags, "!enabling and disabling of features"},
		{"0.47.0", Linux, flags, "sandbox linux " + passed},
		{"0.47.0", Windows, plain, "!a sandbox for windows"},
		{"0.50.0", Linux, Request{Platform: Windows}, "!a sandbox for windows"},
		{"0.57.0", MacOS, denials, "!a log of denials"},
		{"0.58.0", MacOS, denials, "sandbox macos --log-denials "},
		{"0.59.0", Linux, plain, "sandbox linux "},
		{"0.59.0", Linux, full, "sandbox linux " + workspace + "--full-auto "},
		{"0.59.0", Windows, full, "sandbox windows " + workspace + "--full-auto "},
		{"0.59.0", Linux, denials, "sandbox linux "},
		{"0.59.0", Linux, Request{Platform: MacOS}, "sandbox macos "},
		{"0.59.0", Linux, Request{Platform: Windows}, "sandbox windows "},
		{"0.59.0", Linux, Request{Platform: MacOS, LogDenials: true}, "sandbox macos --log-denials "},
		{"0.114.0", Linux, plain, "sandbox linux "},
		{"0.116.0", Linux, plain, "sandbox linux " + readOnly},
		{"0.125.0", Linux, full, "sandbox linux " + workspace + "--full-auto "},
		{"0.125.0", Linux, mode, "!a sandbox mode by config override"},
		{"0.128.0", Linux, plain, "sandbox linux " + readOnly},
		{"0.128.0", Linux, full, "sandbox linux " + workspace + workspaceWrite},
		{"0.128.0", Windows, full, "sandbox windows " + workspace + workspaceWrite},
		{"0.128.0", Linux, flags, "sandbox linux " + readOnly + passed},
		{"0.128.0", Linux, mode, "sandbox linux " + danger},
		{"0.133.0", Linux, full, "sandbox linux " + workspace + workspaceWrite},
		{"0.134.0-alpha.1", Linux, plain, "sandbox --permissions-profile :read-only "},
		{"0.134.0", Linux, full, "sandbox --permissions-profile :workspace "},
		{"0.139.0", Linux, full, "sandbox -P :workspace "},
		{"0.169.0", Linux, plain, "sandbox -P :read-only "},
		{"0.169.0", Linux, full, "sandbox -P :workspace "},
		{"0.169.0", Linux, flags, "sandbox -P :read-only " + passed},
		{"0.169.0", Linux, mode, "sandbox " + danger},
		{"0.169.0", Linux, denials, "sandbox -P :read-only "},
		{"0.169.0", MacOS, denials, "sandbox -P :read-only --log-denials "},
		{"0.169.0", MacOS, full, "sandbox -P :workspace "},
		{"0.169.0", Windows, full, "sandbox -P :workspace "},
		{"0.169.0", Linux, Request{Platform: Linux}, "sandbox -P :read-only "},
		{"0.169.0", Linux, Request{Platform: MacOS}, "!the sandbox of macos on linux"},
		{"0.169.0", Linux, Request{Platform: Windows}, "!the sandbox of windows on linux"},
		{"1.2.3", Linux, full, "sandbox -P :workspace "},
	} {
		tt.request.Command = []string{"-c", "", "--", "a b"}
		if err := tt.request.check(); err != nil {
			t.Errorf("%+v: %v", tt.request, err)
		}
		got, err := tt.request.args(release(t, tt.release), tt.host)
		if feature, refused := strings.CutPrefix(tt.want, "!"); refused {
			if un := (*UnsupportedError)(nil); !errors.As(err, &un) || !strings.HasPrefix(un.Feature, feature) ||
				!strings.Contains(err.Error(), tt.release) {
				t.Errorf("%s on %s, %+v: %q, %v, want a refusal of %s that names the release", tt.release, tt.host, tt.request, got, err, feature)
			}
			continue
		}
		want := append(append([]string{"codex"}, strings.Fields(tt.want)...), "--", "-c", "", "--", "a b")
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s on %s, %+v:\n got %q, %v\nwant %q", tt.release, tt.host, tt.request, got, err, want)
		}
	}
}
