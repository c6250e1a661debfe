//go:build unix

package shim

import (
	"slices"
	"strings"
	"testing"

	"swop/config"
)

// That this is what the real launchers do is shown in e2e; here is what they cannot be asked.

func TestLaunchers(t *testing.T) {
	sizes := map[int64]string{}
	for _, l := range launchers {
		if other, ok := sizes[l.size]; ok {
			t.Errorf("the launchers of %s and %s have the same size, which must tell them apart", other, l.since)
		}
		sizes[l.size] = l.since
		if len(l.sum) != 32 || strings.Trim(l.sum, "0123456789abcdef") != "" {
			t.Errorf("the launcher of %s has the sum %q", l.since, l.sum)
		}
		if len(l.layouts) == 0 || !slices.Contains(l.sets, managedByNPM) {
			t.Errorf("the launcher of %s starts nothing, or does not say that npm manages it", l.since)
		}
	}
	if len(launchers) < 7 {
		t.Errorf("%d launchers, want 7 or more", len(launchers))
	}
}

func TestPlain(t *testing.T) {
	for entry, want := range map[string]bool{
		"A=1": true, "A=": true, "A==": true, "NODE=/usr/bin/node": true, "NODE_ENV=x": true, "NODE_PATH=/a": true, "\u00c9=\u00e9": true,
		"NODE_OPTIONS=": true, "NODE_OPTIONS=--max-old-space-size=1": true, "npm_config_user_agent=pnpm/10 npm/? node/v24": true,
		"A": false, "=A": false, "": false, "0=a": false, "A=\xff": false, "\xff=a": false, "NODE_NEW=1": false, "NODE_CHANNEL_FD=3": false, "WATCH_REPORT_DEPENDENCIES=1": false, "DYLD_LIBRARY_PATH=/a": false,
		"NODE_OPTIONS=-r x": false, "NODE_OPTIONS=--max-old-space-size=1x": false, "NODE_OPTIONS=--max-old-space-size": false,
		"NODE_OPTIONS=\"--max-old-space-size=1\"": false, "npm_config_user_agent=bun/1.3": false, "npm_execpath=/x/bun": false,
	} {
		if got := unchangedByNode([]string{"codex", "x"}, config.Env{"HOME=/h", entry, "Z=1"}); got != want {
			t.Errorf("plain with %q = %v, want %v", entry, got, want)
		}
	}
	if !unchangedByNode([]string{"\xff", "x"}, nil) || unchangedByNode([]string{"codex", "\xff"}, nil) || unchangedByNode(nil, nil) {
		t.Error("plain: the arguments after the name count")
	}
}

// The names are those of npm's packages of codex: what a launcher looks for on each system.
func TestPlatform(t *testing.T) {
	for built, want := range map[[2]string][2]string{
		{"linux", "amd64"}:   {"codex-linux-x64", "x86_64-unknown-linux-musl"},
		{"linux", "arm64"}:   {"codex-linux-arm64", "aarch64-unknown-linux-musl"},
		{"darwin", "amd64"}:  {"codex-darwin-x64", "x86_64-apple-darwin"},
		{"darwin", "arm64"}:  {"codex-darwin-arm64", "aarch64-apple-darwin"},
		{"linux", "riscv64"}: {},
		{"freebsd", "amd64"}: {},
		{"windows", "amd64"}: {"codex-win32-x64", "x86_64-pc-windows-msvc"},
		{"windows", "arm64"}: {"codex-win32-arm64", "aarch64-pc-windows-msvc"},
	} {
		if pkg, target := platform(built[0], built[1]); [2]string{pkg, target} != want {
			t.Errorf("platform(%q) = %q, %q, want %q", built, pkg, target, want)
		}
	}
}
