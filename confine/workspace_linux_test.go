package confine

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"swop/config"
	"swop/confine/mountns"
	"swop/confine/repository"
	"swop/confine/view"
	"swop/disk"
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

// TestWorkspace: what git obeys is found wherever git finds it, also in other work trees and submodules, and where nothing is yet.
func TestWorkspace(t *testing.T) {
	files := map[string]string{
		"home/repo/src/.codex/": "", "home/tree/.git": "gitdir: BASE/home/repo/.git/worktrees/tree\n", "home/tree/sub/": "",
		"home/repo/.git/worktrees/tree/gitdir": "BASE/home/tree/.git\n", "home/repo/.git/worktrees/tree/commondir": "../..\n",
		"home/repo/.git/worktrees/inner/gitdir": "BASE/home/repo/trees/inner/.git\n", "home/repo/trees/inner/.git": "gitdir: BASE/home/repo/.git/worktrees/inner\n",
		"home/repo/.git/modules/a/b/config": "[core]\n\tworktree = ../../../../ext/b\n", "home/repo/ext/b/.git": "gitdir: ../../.git/modules/a/b\n",
		"home/forged/.git": "gitdir: BASE/home/repo/.git/worktrees/tree\n", "home/wild/.git": "gitdir: /\n", "home/none/": "", "home/.git/": "",
		"home/work/.git": "gitdir: .bare\n", "home/many/one/x/": "", "home/many/two/three/.git/HEAD": "",
	}
	for _, repository := range []string{"repo/.git", "repo/.git/modules/a/b", "bare.git", "work/.bare", "many/one.git"} {
		for _, name := range []string{"HEAD", "refs/", "objects/"} {
			files["home/"+repository+"/"+name] = ""
		}
	}
	base := newTree(t, files)
	for _, tt := range []struct {
		dir, top string
		git      string
	}{
		{"repo/src", "repo", "repo/.git repo/ext/b/.git repo/trees/inner/.git"},
		{"repo/.git/refs", "repo/.git", "repo/.git"},
		{"tree/sub", "tree", "tree/.git"},
		{"repo/ext/b", "repo/ext/b", "repo/ext/b/.git"},
		{"forged", "forged", "forged/.git"},
		{"wild", "wild", "wild/.git"},
		{"none", "none", "none/.git"},
		{"bare.git/refs", "bare.git", "bare.git"},
		{"work", "work", "work/.bare work/.git"},
		{"many", "many", "many/.git many/one.git many/two/three/.git"},
	} {
		root := RootAt(WorkspaceOf(filepath.Join(base, "home", tt.dir), filepath.Join(base, "home")), repository.User{Home: filepath.Join(base, "home")})
		git := strings.ReplaceAll(strings.Join(slices.Sorted(slices.Values(root.Git)), " "), base+"/home/", "")
		if root.Path != filepath.Join(base, "home", tt.top) || git != tt.git {
			t.Errorf("RootAt(WorkspaceOf(%s))\n = %+v\nwant %s with %s", tt.dir, root, tt.top, tt.git)
		}
	}
	for dir, want := range map[string]string{"tree": "repo/.git", "repo/trees/inner": "repo/.git", "repo/ext/b": "repo/.git/modules/a/b", "repo": "", "forged": "", "wild": "", "work": "", "none": ""} {
		if got := repository.Linked(filepath.Join(base, "home", dir)); strings.TrimPrefix(got, base+"/home/") != want {
			t.Errorf("Linked(%s) = %q, want %q", dir, got, want)
		}
	}
}

// sceneAt is a scene with everything in one directory.
func sceneAt(base string) Scene {
	home := filepath.Join(base, "home")
	return Scene{
		Policy: New(config.ConfineWorkspace, config.Confinement{}, home), Home: home, Root: home + "/.swop", Config: home + "/.config/swop",
		SharedHome: home + "/.codex", Programs: []string{home + "/bin"},
		SandboxHome: home + "/.swop/accounts/work/home", Workspace: home + "/src",
		View: view.View{Dir: base + "/view"}, Own: home + "/.swop/accounts/work/confined/databases", Runtime: base + "/runtime", Helper: "/helper",
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
		for _, workspace := range []string{path, s.Home + "/src"} {
			s.Workspace = workspace
			s.Policy.Writable = []string{path}
			var violation *Violation
			if _, err := s.Scope(); !errors.As(err, &violation) || violation.Path != path {
				t.Errorf("the writable root %s: %v, want a violation", path, err)
			}
		}
	}
	s := sceneAt(base)
	s.Policy.Writable = []string{s.Home + "/.cache", "/srv/x", "/tmp/x", "/var/lib/x", s.Home + "/.swopx", s.Home + "/.config/other"}
	if _, err := s.Scope(); err != nil {
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
		scope, err := s.Scope()
		testhome.NoError(t, err)
		list := scope.mounts
		for _, path := range []string{
			s.Root, s.Root + "/accounts/other", s.Home + "/.aws", s.Home + "/.secret",
		} {
			if mode == config.ConfineFull && !disk.At(path).IsDir() {
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

// TestKeptNames: what has a rule, what is kept, and each directory above them that could be moved, is a mount point.
func TestKeptNames(t *testing.T) {
	base := newTree(t, map[string]string{"home/.config/swop/": "", "home/bin/": "", "home/.swop/": "", "home/.codex/": "", "home/src/a/b/": "", "home/src/c/hidden/": "", "home/src/d/out/": "", "home/x/bound/": ""})
	for mode, more := range map[string][]string{config.ConfineFull: {"", ".config", ".config/swop", "bin", ".swop", ".codex", "x", "x/bound"}, config.ConfineWorkspace: {"src/d", "src/d/out"}} {
		s := sceneAt(base)
		s.Policy.Mode, s.Policy.Hidden, s.Policy.Writable = mode, []string{s.Home + "/src/c/hidden"}, []string{s.Home + "/src/d/out"}
		s.Kept = []string{s.Home + "/src/a/b", s.Home + "/src/missing/b", s.Home + "/x/bound"}
		l, err := s.layout()
		testhome.NoError(t, err)
		for _, name := range append(more, "src/a", "src/a/b", "src/c", "src/c/hidden") {
			path := filepath.Join(s.Home, name)
			if rule := l.rule(path); rule.Target != path {
				t.Errorf("%s: %s is no mount point, but part of %+v", mode, path, rule)
			}
		}
		if mode == config.ConfineWorkspace && l.rule(s.Home+"/x/bound").Target == s.Home+"/x/bound" {
			t.Errorf("what cannot be moved is mounted")
		}
	}
}

// TestCheckLinks: a link to a writable directory must not be one that a session can change, unless both are in what can be written.
func TestCheckLinks(t *testing.T) {
	base := newTree(t, map[string]string{"home/src/in/": "", "home/data/": ""})
	for name, to := range map[string]string{"home/mine": "data", "home/src/away": "../data", "home/by": "src/away", "home/src/inner": "in"} {
		testhome.NoError(t, os.Symlink(to, filepath.Join(base, name)))
	}
	s := sceneAt(base)
	for name, refused := range map[string]bool{"data": false, "mine": false, "src/away": true, "by": true, "src/inner": false, "src/missing": false} {
		path := filepath.Join(s.Home, name)
		s.Policy.Writable = Real(path)
		if err := s.checkLinks([]string{path}); (err != nil) != refused {
			t.Errorf("%s: %v", name, err)
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
