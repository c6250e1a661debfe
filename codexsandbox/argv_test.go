//go:build unix

package codexsandbox

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"swop/internal/test/testhome"
)

// The vectors were seen to be understood on Linux by the releases 0.29, 0.92, 0.128, 0.155 and 0.169 (the tests in e2e); what macOS and
// Windows do with theirs was not seen.
func TestArgs(t *testing.T) {
	const workspace = "--config sandbox_workspace_write.network_access=false --config sandbox_workspace_write.writable_roots=[] " +
		"--config sandbox_workspace_write.exclude_tmpdir_env_var=false --config sandbox_workspace_write.exclude_slash_tmp=false "
	const readOnly, workspaceWrite = `--config sandbox_mode="read-only" `, `--config sandbox_mode="workspace-write" `
	plain := Request{}
	full := Request{FullAuto: true}
	flags := Request{ConfigOverrides: []string{"b=2", "a=1"}, Enable: []string{"y", "x"}, Disable: []string{"z"}}
	denials := Request{LogDenials: true}
	const passed = "--config b=2 --config a=1 --enable y --enable x --disable z "
	for _, tt := range []struct {
		release string
		host    Platform
		request Request
		want    string // before "-- COMMAND"; "!" and a text for a refusal
	}{
		{"0.44.0", Linux, plain, "debug landlock "},
		{"0.44.0", MacOS, full, "debug seatbelt " + workspace + "--full-auto "},
		{"0.44.0", Windows, plain, "!a sandbox for windows"},
		{"0.45.0", Linux, plain, "sandbox linux "},
		{"0.45.0", Linux, Request{Platform: MacOS}, "sandbox macos "},
		{"0.44.0", Linux, Request{Platform: "seatbelt"}, "debug seatbelt "},
		{"0.92.0", Linux, Request{Platform: "seatbelt", FullAuto: true}, "sandbox macos " + workspace + "--full-auto "},
		{"0.92.0", MacOS, Request{Platform: "landlock"}, "sandbox linux "},
		{"0.59.0", Linux, Request{Platform: "windows", FullAuto: true}, "sandbox windows " + workspace + "--full-auto "},
		{"0.169.0", Linux, Request{Platform: "landlock"}, "sandbox -P :read-only "},
		{"0.45.0", Linux, flags, "!enabling and disabling of features"},
		{"0.47.0", Linux, flags, "sandbox linux " + passed},
		{"0.50.0", Linux, Request{Platform: Windows}, "!a sandbox for windows"},
		{"0.57.0", MacOS, denials, "!a log of denials"},
		{"0.58.0", MacOS, denials, "sandbox macos --log-denials "},
		{"0.59.0", Windows, full, "sandbox windows " + workspace + "--full-auto "},
		{"0.114.0", Linux, plain, "sandbox linux "},
		{"0.116.0", Linux, plain, "sandbox linux " + readOnly},
		{"0.125.0", Linux, full, "sandbox linux " + workspace + "--full-auto "},
		{"0.128.0", Linux, full, "sandbox linux " + workspace + workspaceWrite},
		{"0.134.0-alpha.1", Linux, plain, "sandbox --permissions-profile :read-only "},
		{"0.139.0", Linux, full, "sandbox -P :workspace "},
		{"0.169.0", Linux, flags, "sandbox -P :read-only " + passed},
		{"0.169.0", Linux, denials, "sandbox -P :read-only "},
		{"0.169.0", MacOS, denials, "sandbox -P :read-only --log-denials "},
		{"0.169.0", Linux, Request{Platform: MacOS}, "!the sandbox of macos on linux"},
		{"1.2.3", Linux, full, "sandbox -P :workspace "},
	} {
		tt.request.Command = []string{"-c", "", "--", "a b"}
		testhome.NoError(t, tt.request.check())
		release, err := ParseRelease("codex-cli " + tt.release)
		testhome.NoError(t, err)
		got, err := tt.request.args(release, tt.host)
		if feature, refused := strings.CutPrefix(tt.want, "!"); refused {
			if want := "codex " + tt.release + " does not support " + feature; err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s on %s, %+v: %q, %v, want %s", tt.release, tt.host, tt.request, got, err, want)
			}
			continue
		}
		want := append(append([]string{"codex"}, strings.Fields(tt.want)...), "--", "-c", "", "--", "a b")
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s on %s, %+v:\n got %q, %v\nwant %q", tt.release, tt.host, tt.request, got, err, want)
		}
	}
}

func TestRefused(t *testing.T) {
	ok := []string{"true"}
	for _, tt := range []struct {
		request Request
		want    string
	}{
		{Request{}, "the command is empty"},
		{Request{Command: []string{"", "a"}}, "the command is empty"},
		{Request{Command: ok, Timeout: -time.Second}, "the timeout -1s is negative"},
		{Request{Command: ok, Platform: "plan9"}, `no platform "plan9"`},
		{Request{Command: ok, FullAuto: true, ConfigOverrides: []string{"a=1", "sandbox_mode=read-only"}}, "a config override chooses the sandbox"},
		{Request{Command: ok, ConfigOverrides: []string{" permissions .x=true"}}, "a config override chooses the sandbox"},
	} {
		err := tt.request.check()
		if bad := (*RequestError)(nil); !errors.As(err, &bad) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.request, err, tt.want)
		}
	}
}

func TestParseRelease(t *testing.T) {
	for text, want := range map[string]string{
		"codex-cli 0.169.0\n":                       "0.169.0",
		"codex-cli 0.29.0\r\n":                      "0.29.0",
		"codex-cli 0.142.0-alpha.3\n":               "0.142.0-alpha.3",
		"a wrapper says hello\ncodex-cli 1.2.3\n\n": "1.2.3",
	} {
		if r, err := ParseRelease(text); err != nil || r.String() != want {
			t.Errorf("ParseRelease(%q) = %v, %v, want %s", text, r, err, want)
		}
	}
	for _, text := range []string{
		"", "codex-cli", "codex-cli 0.0.0\n", "codex-cli 1.2", "codex-cli -1.2.3", "git version 2.39.5",
		"codex-cli 1.2.3 extra",
	} {
		if r, err := ParseRelease(text); err == nil {
			t.Errorf("ParseRelease(%q) = %v, want an error", text, r)
		}
	}
}
