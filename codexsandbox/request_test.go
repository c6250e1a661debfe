//go:build unix

package codexsandbox

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestCheckRefuses(t *testing.T) {
	ok := []string{"true"}
	for _, tt := range []struct {
		request Request
		want    string
	}{
		{Request{}, "the command is empty"},
		{Request{Command: []string{""}}, "the command is empty"},
		{Request{Command: []string{"", "a"}}, "the command is empty"},
		{Request{Command: []string{"a", "b\x00c"}}, `argument 1 of the command has a NUL byte`},
		{Request{Command: []string{"\x00"}}, `argument 0 of the command has a NUL byte`},
		{Request{Command: ok, ConfigOverrides: []string{"a=1", "b"}}, `the config override "b" has no "="`},
		{Request{Command: ok, ConfigOverrides: []string{""}}, `the config override "" has no "="`},
		{Request{Command: ok, ConfigOverrides: []string{"=1"}}, "not of the form key=value"},
		{Request{Command: ok, ConfigOverrides: []string{" =1"}}, "not of the form key=value"},
		{Request{Command: ok, ConfigOverrides: []string{"--search=1"}}, "not of the form key=value"},
		{Request{Command: ok, ConfigOverrides: []string{"a=\x00"}}, "not of the form key=value"},
		{Request{Command: ok, ConfigOverrides: []string{"profile=ci"}}, "a profile is for sessions with the model"},
		{Request{Command: ok, ConfigOverrides: []string{" profile =ci"}}, "a profile is for sessions with the model"},
		{Request{Command: ok, ConfigOverrides: []string{"approval_policy=never"}}, "asks nobody for approval"},
		{Request{Command: ok, ConfigOverrides: []string{"web_search=live"}}, "no model runs that could search"},
		{Request{Command: ok, ConfigOverrides: []string{"tools.web_search=true"}}, "no model runs that could search"},
		{Request{Command: ok, FullAuto: true, ConfigOverrides: []string{"sandbox_mode=read-only"}}, "both decide on the sandbox"},
		{Request{Command: ok, FullAuto: true, ConfigOverrides: []string{"sandbox_workspace_write.network_access=true"}}, "both decide on the sandbox"},
		{Request{Command: ok, FullAuto: true, ConfigOverrides: []string{"sandbox_workspace_write = {}"}}, "both decide on the sandbox"},
		{Request{Command: ok, FullAuto: true, ConfigOverrides: []string{"default_permissions=x"}}, "both decide on the sandbox"},
		{Request{Command: ok, FullAuto: true, ConfigOverrides: []string{"permissions.x.network.enabled=true"}}, "both decide on the sandbox"},
		{Request{Command: ok, Enable: []string{"a", "b"}, Disable: []string{"b"}}, `the feature "b" is both enabled and disabled`},
		{Request{Command: ok, Enable: []string{""}}, `"" is not the name of a feature`},
		{Request{Command: ok, Disable: []string{"--search"}}, `"--search" is not the name of a feature`},
		{Request{Command: ok, Disable: []string{"a\x00"}}, "is not the name of a feature"},
		{Request{Command: ok, Enable: []string{"a=false"}}, "is not the name of a feature"},
		{Request{Command: ok, Timeout: -time.Second}, "the timeout -1s is negative"},
		{Request{Command: ok, Platform: "plan9"}, `no platform "plan9"`},
		{Request{Command: ok, Env: []string{"A"}}, `the variable "A" is not of the form NAME=value`},
		{Request{Command: ok, Env: []string{"=A"}}, "is not of the form NAME=value"},
		{Request{Command: ok, Env: []string{"A=\x00"}}, "is not of the form NAME=value"},
		{Request{Command: ok, Env: []string{"CODEX_HOME=/x"}}, "the variable CODEX_HOME belongs to the account"},
		{Request{Command: ok, Env: []string{"HOME=/x"}}, "the variable HOME belongs to the account"},
		{Request{Command: ok, Env: []string{"SWOP_ACCOUNT=x"}}, "the variable SWOP_ACCOUNT belongs to the account"},
	} {
		err := tt.request.check()
		if bad := (*RequestError)(nil); !errors.As(err, &bad) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.request, err, tt.want)
		}
	}
}

func TestCheckAccepts(t *testing.T) {
	for _, r := range []Request{
		{Command: []string{"a", "", "-x", "é\n"}},
		{Command: []string{"a"}, ConfigOverrides: []string{"a=", "a=b=c", "profiles.x.model=y", "sandbox_modes=1"}, FullAuto: true},
		{Command: []string{"a"}, ConfigOverrides: []string{"sandbox_mode=x", "sandbox_workspace_write.network_access=true"}},
		{Command: []string{"a"}, Enable: []string{"a", "a"}, Disable: []string{"b"}, Platform: MacOS, LogDenials: true, Timeout: time.Hour},
		{Command: []string{"a"}, Env: []string{"A=", "B=c=d", "HOMEBREW=1", "CODEX_X=1"}},
	} {
		if err := r.check(); err != nil {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

func TestParsePlatform(t *testing.T) {
	for name, want := range map[string]Platform{
		"": Host, "macos": MacOS, "seatbelt": MacOS, "linux": Linux, "landlock": Linux, "windows": Windows,
	} {
		if got, err := ParsePlatform(name); err != nil || got != want {
			t.Errorf("ParsePlatform(%q) = %q, %v, want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"Linux", "darwin", " linux", "host"} {
		if got, err := ParsePlatform(name); err == nil {
			t.Errorf("ParsePlatform(%q) = %q, want an error", name, got)
		}
	}
}
