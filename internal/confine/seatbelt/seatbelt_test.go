package seatbelt

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/confine"
	"swop/internal/test/testhome"
)

var golden = flag.Bool("golden", false, "write the golden files of Seatbelt again")

func belt(mode string, change func(*Scene)) *Scene {
	s := &Scene{
		Policy: confine.New(mode, config.Confinement{}, "/Users/me"),
		Home:   "/Users/me", Root: "/Users/me/.swop", Account: "/Users/me/.swop/accounts/work",
		SharedHome: "/Users/me/.codex", Config: "/Users/me/.config/swop", Temp: "/private/var/folders/x/T/swop-1",
		Workspace: confine.Root{Path: "/Users/me/src/a \"b\"", Readonly: []string{"/Users/me/src/a \"b\"/.codex", "/Users/me/src/a \"b\"/.git"}},
		Programs:  []string{"/Users/me/.local/share/swop/bin"}, Hidden: []string{"/Users/me/.token"},
	}
	if change != nil {
		change(s)
	}
	return s
}

// TestSeatbelt compares profiles with those in testdata, which show what is generated for review: macOS itself is not asked.
func TestSeatbelt(t *testing.T) {
	for name, s := range map[string]*Scene{
		"workspace": belt(config.ConfineWorkspace, func(s *Scene) { s.Policy.Hidden = []string{"/Users/me/.ssh"} }),
		"readonly":  belt(config.ConfineReadOnly, nil),
		"full":      belt(config.ConfineFull, nil),
		"offline": belt(config.ConfineWorkspace, func(s *Scene) {
			s.Policy.Network, s.Policy.Sockets = config.Network{}, []string{"/private/tmp/agent.sock"}
		}),
	} {
		args, err := s.Args()
		testhome.NoError(t, err)
		got, file := strings.Join(args, "\n")+"\n", filepath.Join("testdata", name+".golden")
		if *golden {
			testhome.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		}
		if want, err := os.ReadFile(file); err != nil || string(want) != got {
			t.Errorf("%s: %v; the profile is\n%s", name, err, got)
		}
		if text := args[2]; strings.Count(text, "(") != strings.Count(text, ")") || strings.Contains(text, "/Users") {
			t.Errorf("%s: the profile has a path in it, or other brackets open than close", name)
		}
	}
}

func TestSeatbeltRefuses(t *testing.T) {
	for _, path := range []string{"/", "/Users", "/Users/me", "/Users/me/.swop", "/Users/me/.swop/accounts/other", "/Users/me/.codex/skills", "/private/tmp", "/System/x"} {
		_, err := belt(config.ConfineWorkspace, func(s *Scene) { s.Policy.Writable = []string{path} }).Args()
		var violation *confine.Violation
		if !errors.As(err, &violation) || violation.Path != path {
			t.Errorf("%s: %v, want a violation", path, err)
		}
	}
}
