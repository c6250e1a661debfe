package confine

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/config"
)

var golden = flag.Bool("golden", false, "write the golden files of Seatbelt again")

func belt(mode string, change func(*Seatbelt)) *Seatbelt {
	s := &Seatbelt{
		Policy: New(mode, config.Confinement{}, "/Users/me"),
		Home:   "/Users/me", Root: "/Users/me/.swop", Account: "/Users/me/.swop/accounts/work", CodexHome: "/Users/me/.swop/accounts/work/home/.codex",
		SharedHome: "/Users/me/.codex", Config: "/Users/me/.config/swop", Databases: "/Users/me/.swop/accounts/work/confined/databases", Temp: "/private/var/folders/x/T/swop-1",
		Workspace: []Root{{Path: "/Users/me/src/a \"b\"", Pinned: []string{"/Users/me/src/a \"b\"/.git"}, Readonly: []string{"/Users/me/src/a \"b\"/.git/hooks", "/Users/me/src/a \"b\"/.git/config"}}},
		Programs:  []string{"/Users/me/.local/share/swop/bin"}, Protected: []string{"/Users/me/.zshrc"}, Hidden: []string{"/Users/me/.token"},
	}
	if change != nil {
		change(s)
	}
	return s
}

// TestSeatbelt compares profiles with those in testdata, which show what is generated for review: macOS itself is not asked.
func TestSeatbelt(t *testing.T) {
	for name, s := range map[string]*Seatbelt{
		"workspace": belt(config.ConfineWorkspace, func(s *Seatbelt) { s.Policy.Hidden = []string{"/Users/me/.ssh"} }),
		"readonly":  belt(config.ConfineReadOnly, nil),
		"full":      belt(config.ConfineFull, nil),
		"bridged": belt(config.ConfineWorkspace, func(s *Seatbelt) {
			s.Policy.Network, s.Policy.Sockets = Network{}, []string{"/private/tmp/agent.sock"}
			s.Visible, s.Ports = []string{"/Users/me/.swop/run/1"}, []int{4321}
		}),
	} {
		args, err := s.Args()
		if err != nil {
			t.Fatal(err)
		}
		got, file := strings.Join(args, "\n")+"\n", filepath.Join("testdata", "seatbelt", name+".golden")
		if *golden {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(file); err != nil || string(want) != got {
			t.Errorf("%s: %v; the profile is\n%s", name, err, got)
		}
		if text := args[2]; strings.Count(text, "(") != strings.Count(text, ")") || strings.Contains(text, "/Users") {
			t.Errorf("%s: the profile has a path in it, or other brackets open than close", name)
		}
	}
}

// TestSeatbeltOrder: what is denied comes after what is allowed around it, for the last rule counts.
func TestSeatbeltOrder(t *testing.T) {
	args, err := belt(config.ConfineWorkspace, nil).Args()
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for _, rule := range []string{
		`(allow file-read*)`, `(deny file-read* (below "ROOT_0"))`, `(allow file-read* (below "ACCOUNT_0"))`, `(deny file-read* (only "LOGIN_0"))`,
		`(deny file-read* (below "HIDDEN_0"))`, `(allow file-write* (below "WRITABLE_0"))`, `(deny file-write-unlink (only "PINNED_0"))`,
		`(deny file-write* (below "READONLY_0"))`, `(deny file-write* (below "KEPT_0"))`, `(allow file-write* (matching "CODEX_0" "/sessions(/.*)?$"))`,
	} {
		next := strings.Index(args[2], rule)
		if next <= at {
			t.Errorf("%s is at %d, want it behind %d", rule, next, at)
		}
		at = next
	}
	for _, never := range []string{`_0" "/config`, `_0" "/skills`, `_0" "/shell_snapshots`, `_0" "/\\.tmp`, `"SHARED_0" "/auth`, `"SHARED_0" "/tmp`} {
		if strings.Contains(args[2], never) {
			t.Errorf("what later sessions obey can be written: %s", never)
		}
	}
}

func TestSeatbeltRefuses(t *testing.T) {
	for _, path := range []string{"/", "/Users", "/Users/me", "/Users/me/.swop", "/Users/me/.swop/accounts/other", "/Users/me/.codex/skills", "/private/tmp", "/System/x"} {
		_, err := belt(config.ConfineWorkspace, func(s *Seatbelt) { s.Policy.Writable = []string{path} }).Args()
		var violation *Violation
		if !errors.As(err, &violation) || violation.Path != path {
			t.Errorf("%s: %v, want a violation", path, err)
		}
	}
}
