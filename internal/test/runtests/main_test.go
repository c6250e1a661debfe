package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/testfile"
	"swop/internal/test/testprogram"
)

func TestCommand(t *testing.T) {
	for args, want := range map[string]string{
		"":                              "./internal/test/e2e ./internal/test/script ./internal/test/faults ./...",
		"-short":                        "-short ./internal/test/e2e ./internal/test/script ./internal/test/faults ./...",
		"--require -run TestX ./config": "-run TestX ./config",
		"--install --short -race":       "-short -race ./internal/test/e2e ./internal/test/script ./internal/test/faults ./...",
		"-v -short -require ./config":   "-short -v ./config",
		". -args --programs":            ". -args --programs",
		". -run TestScripts":            ". -run TestScripts",
		"swop/config -count 2":          "swop/config -count 2",
	} {
		more := 1
		if strings.HasPrefix(want, "-short") {
			more = 3
		}
		want = fmt.Sprintf("test -json -timeout 40m -count=1 -p %d %s", runtime.NumCPU()+more, want)
		c, err := parse(strings.Fields(args))
		if got := strings.Join(c.command(), " "); err != nil || got != want {
			t.Errorf("./test.sh %s runs go %s, %v, want go %s", args, got, err, want)
		}
	}
}

func TestWithout(t *testing.T) {
	t.Setenv(testprogram.LeftOut, "strace")
	fish, npm := testprogram.Program{Name: "fish"}, testprogram.Program{Name: "npm"}
	for _, tt := range []struct {
		c       choice
		missing []testprogram.Program
		want    string
	}{
		{choice{}, nil, "strace"},
		{choice{}, []testprogram.Program{fish}, "strace fish"},
		{choice{short: true}, nil, "strace wine codex"},
		{choice{}, []testprogram.Program{fish, npm}, "strace fish npm codex"}, // no npm, no codex
	} {
		if got := strings.Join(withoutOf(tt.c, tt.missing), " "); got != tt.want {
			t.Errorf("%+v without %v leaves out %q, want %q", tt.c, tt.missing, got, tt.want)
		}
	}
}

func TestUnknownFlag(t *testing.T) {
	if _, err := parse([]string{"-v", "--requrie", "./internal/say"}); err == nil || err.Error() != "unknown flag --requrie" {
		t.Errorf("a misspelled flag of ./test.sh: %v", err)
	}
}

// Each manager is asked for its own names, as root where it needs that.
func TestInstall(t *testing.T) {
	missing := []testprogram.Program{{Name: "man", Apt: "man-db", Dnf: "man-db"}, {Name: "col", Apt: "bsdextrautils", Dnf: "util-linux", Brew: "util-linux"}}
	want := map[string]string{
		"apt-get": "sudo apt-get install -y -qq --no-install-recommends man-db bsdextrautils",
		"dnf":     "sudo dnf install -y -q man-db util-linux",
		"brew":    "brew install -q util-linux",
	}
	for _, m := range managers() {
		if got := strings.Join(m.command(1000, append(m.install, m.packages(missing)...)).Args, " "); got != want[m.name] {
			t.Errorf("%s: %q, want %q", m.name, got, want[m.name])
		}
		if got := m.command(0, nil).Args; slices.Contains(got, "sudo") {
			t.Errorf("%s for root: %q", m.name, got)
		}
	}
}

// Whatever a test needs has a package for Debian and one for Fedora, which has no AppArmor.
func TestPackages(t *testing.T) {
	for _, p := range testprogram.All("linux") {
		if p.Apt == "" || p.Dnf == "" && p.Name != "apparmor_parser" {
			t.Errorf("%s: %+v", p.Name, p)
		}
	}
	if mac := testprogram.All("darwin"); slices.ContainsFunc(mac, func(p testprogram.Program) bool { return p.Name == "strace" || p.Brew == "" }) {
		t.Errorf("for macOS %v", mac)
	}
}

// README says how many releases the tests fetch and keep.
func TestReleasesInREADME(t *testing.T) {
	text, err := os.ReadFile("../../../README.md")
	testfile.NoError(t, err)
	number := map[int]string{4: "four", 5: "five", 6: "six"}[len(realcodex.Releases())]
	if want := " GB in caches (" + number + " releases of Codex,"; !strings.Contains(strings.Join(strings.Fields(string(text)), " "), strings.TrimSpace(want)) {
		t.Errorf("README.md does not say %q", want)
	}
}
