package confine

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"swop/config"
	"swop/confine/mountns"
	"swop/internal/testhome"
)

// newTree makes files, and directories for names that end in a slash, and returns where.
func newTree(t *testing.T, files map[string]string) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	testhome.NoError(t, err)
	for name, text := range files {
		text = strings.ReplaceAll(text, "BASE", base)
		if strings.HasSuffix(name, "/") {
			testhome.NoError(t, os.MkdirAll(filepath.Join(base, name), 0o700))
		} else {
			testhome.PutFile(t, filepath.Join(base, name), text)
		}
	}
	return base
}

func TestWorkspace(t *testing.T) {
	base := newTree(t, map[string]string{
		"home/repo/.git/config": "", "home/repo/.git/hooks/": "", "home/repo/.git/objects/": "", "home/repo/src/.codex/": "",
		"home/repo/.git/worktrees/tree/gitdir": "BASE/home/tree/.git\n", "home/tree/.git": "gitdir: BASE/home/repo/.git/worktrees/tree\n", "home/tree/sub/": "",
		"home/forged/.git": "gitdir: BASE/home/repo/.git/worktrees/tree\n", "home/wild/.git": "gitdir: /\n", "home/none/": "", "home/.git/": "",
	})
	at := func(names ...string) (paths []string) {
		for _, name := range names {
			paths = append(paths, filepath.Join(base, "home", name))
		}
		return paths
	}
	for _, tt := range []struct {
		dir  string
		want []Root
	}{
		{"repo/src", []Root{{at("repo")[0], at("repo/.git"), at("repo/.git/hooks", "repo/.git/config")}}},
		{"repo", []Root{{at("repo")[0], at("repo/.git"), at("repo/.git/hooks", "repo/.git/config")}}},
		{"tree/sub", []Root{{at("tree")[0], nil, at("tree/.git")}, {at("repo/.git")[0], nil, at("repo/.git/hooks", "repo/.git/config")}}},
		{"forged", []Root{{at("forged")[0], nil, at("forged/.git")}}},
		{"wild", []Root{{at("wild")[0], nil, at("wild/.git")}}},
		{"none", []Root{{Path: at("none")[0]}}},
	} {
		if got := Workspace(at(tt.dir)[0], at("")[0]); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("Workspace(%s)\n = %+v\nwant %+v", tt.dir, got, tt.want)
		}
	}
}

// sceneAt is a scene with everything in one directory.
func sceneAt(base string) Scene {
	home := filepath.Join(base, "home")
	return Scene{
		Policy: New(config.ConfineWorkspace, config.Confinement{}, home), Home: home, Root: home + "/.swop", Config: home + "/.config/swop",
		SharedHome: home + "/.codex", Programs: []string{home + "/bin"},
		SandboxHome: home + "/.swop/accounts/work/home", Dir: home + "/src", Workspace: []Root{{Path: home + "/src"}},
		View: View{Dir: base + "/view"}, Databases: home + "/.swop/accounts/work/confined/databases", Runtime: base + "/runtime", Helper: "/helper",
	}
}

func TestForbiddenRoots(t *testing.T) {
	base := newTree(t, nil)
	for _, path := range []string{
		"/", "HOME", "BASE", filepath.Dir(base), "HOME/.swop", "HOME/.swop/accounts/work/home", "HOME/.swop/x", "HOME/.config", "HOME/.config/swop", "HOME/.config/swop/x",
		"HOME/.codex", "HOME/.codex/skills", "HOME/bin", "HOME/bin/x", "/proc", "/proc/self", "/sys/kernel", "/dev", "/run/user", "/tmp", "/var/tmp", "/var",
	} {
		s := sceneAt(base)
		path = strings.NewReplacer("HOME", s.Home, "BASE", base).Replace(path)
		for _, workspace := range []string{path, s.Dir} {
			s.Workspace = []Root{{Path: workspace}}
			s.Policy.Writable = []string{path}
			var violation *Violation
			if _, err := s.mounts(); !errors.As(err, &violation) || violation.Path != path {
				t.Errorf("the writable root %s: %v, want a violation", path, err)
			}
		}
	}
	s := sceneAt(base)
	s.Policy.Writable = []string{s.Home + "/.cache", "/srv/x", "/tmp/x", "/var/lib/x", s.Home + "/.swopx", s.Home + "/.config/other"}
	if _, err := s.mounts(); err != nil {
		t.Errorf("good writable roots: %v", err)
	}
}

// TestMountsOrder: nothing that hides is covered again by something that shows, whatever the policy.
func TestMountsOrder(t *testing.T) {
	base := newTree(t, map[string]string{"home/.aws/x": "", "home/.secret": "", "home/.config/swop/": "", "home/bin/codex": "", "home/src/": ""})
	for _, mode := range config.Policies()[1:] {
		s := sceneAt(base)
		s.Policy.Mode, s.Policy.Hidden = mode, []string{s.Home + "/.aws", s.Home + "/.secret"}
		if mode == config.ConfineFull {
			s.Policy.Hidden = s.Policy.Hidden[:1] // no file can be
		}
		list, err := s.mounts()
		testhome.NoError(t, err)
		for _, path := range []string{
			s.Root, s.Root + "/accounts/other", s.Home + "/.aws", s.Home + "/.secret",
		} {
			if mode == config.ConfineFull && !isDir(path) {
				continue
			}
			if m := lastOver(list, path); m.Kind == mountns.Writable || m.Kind == mountns.Readonly {
				t.Errorf("%s: %s is shown by %+v", mode, path, m)
			}
		}
		for _, path := range []string{s.Config, s.Home + "/bin/codex"} {
			if m := lastOver(list, path); m.Kind != mountns.Readonly {
				t.Errorf("%s: %s is shown by %+v, want read-only", mode, path, m)
			}
		}
	}
}

// TestPinned: where all can be written, each directory above what is protected is a mount point, and so cannot be moved.
func TestPinned(t *testing.T) {
	s := sceneAt("/srv/a/b")
	s.Policy.Mode = config.ConfineFull
	l, err := s.layout()
	testhome.NoError(t, err)
	for _, path := range []string{"/srv", "/srv/a", "/srv/a/b", s.Home, s.Home + "/.config", s.Config, s.Home + "/bin", s.Root, s.SharedHome} {
		if rule := l.rule(path); rule.Target != path {
			t.Errorf("%s is no mount point, but part of %+v", path, rule)
		}
	}
}

// lastOver returns the mount that decides what is at path.
func lastOver(list []mountns.Mount, path string) (last mountns.Mount) {
	for _, m := range list {
		if config.Within(path, m.Target) {
			last = m
		}
	}
	return last
}
