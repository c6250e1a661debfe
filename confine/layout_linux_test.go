package confine

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/confine/mountns"
	"swop/confine/view"
	"swop/disk"
	"swop/internal/testhome"
)

// FuzzLayout: every path inside is one that the policy gives. Trees and policies are made at random; where each path of the tree leads inside, by
// the list of mounts, is compared with what the policy says of it, by a model that knows nothing of mounts.
func FuzzLayout(f *testing.F) {
	for seed := range uint64(30) {
		f.Add(seed)
	}
	f.Add(uint64(200)) // the workspace is hidden
	f.Fuzz(func(t *testing.T, seed uint64) {
		w := newWorld(t, rand.New(rand.NewPCG(seed, 1)))
		scope, err := w.scene.Scope()
		if err != nil {
			return // refused: a file cannot be hidden in what can be written
		}
		list, watch := scope.mounts, scope.watch
		_ = filepath.WalkDir(w.home, func(path string, entry fs.DirEntry, _ error) error {
			if entry.Type()&fs.ModeSymlink != 0 {
				return nil
			}
			if got, want := inside(list, path), w.gives(path); got != want {
				t.Errorf("seed %d: %s leads to %q, the policy gives %q\n%+v", seed, path, got, want, w.scene.Policy)
			}
			return nil
		})
		for _, path := range append(w.git, w.scene.Policy.Hidden...) {
			covered := w.writable(path) && !w.hidesWorkspace() && (disk.At(path).Exists() || filepath.Dir(path) == w.scene.Workspace)
			watched := slices.ContainsFunc(watch, func(m mountns.Mount) bool { return config.Within(path, m.Target) && m.Kind != mountns.Writable })
			if covered && !watched {
				t.Errorf("seed %d: %s can be replaced, and nobody watches", seed, path)
			}
			for dir := filepath.Dir(path); dir != "/" && disk.At(path).Exists() && inside(list, dir) == "rw:"+dir && w.writable(filepath.Dir(dir)); dir = filepath.Dir(dir) {
				if !slices.ContainsFunc(list, func(m mountns.Mount) bool { return m.Target == dir }) {
					t.Errorf("seed %d: %s can be moved, and with it %s", seed, dir, path)
				}
			}
		}
	})
}

// TestIsFixed: a directory is fixed if the user neither owns it nor can write it. For root none is.
func TestIsFixed(t *testing.T) {
	own := t.TempDir()
	testhome.NoError(t, os.Chmod(own, 0o500))
	for dir, want := range map[string]bool{"/": os.Geteuid() != 0, "/usr": os.Geteuid() != 0, "/tmp": false, own: false, own + "/missing": false} {
		if got := isFixed(dir); got != want {
			t.Errorf("isFixed(%q) = %v, want %v", dir, got, want)
		}
	}
}

// TestOmitted: a session whose home has too many entries sees most of them, and swop knows which it does not see.
func TestOmitted(t *testing.T) {
	files := map[string]string{"home/.swop/": "", "home/.codex/": "", "home/.config/swop/": "", "view/": "", "project/": ""}
	for i := range mostMounts + 10 {
		files[fmt.Sprintf("home/f%05d", i)] = ""
	}
	s := sceneAt(newTree(t, files))
	scope, err := s.Scope()
	testhome.NoError(t, err)
	if n := len(scope.omitted); n < 10 || n > 100 || len(scope.mounts) < mostMounts || !strings.HasPrefix(filepath.Base(scope.omitted[0]), "f") {
		t.Errorf("%d of %d entries are omitted, %d mounted", n, len(files), len(scope.mounts))
	}
}

// TestLeadsOut: a composed home has no FIFO, by which a program outside could be written to, and no socket.
func TestLeadsOut(t *testing.T) {
	s := sceneAt(newTree(t, map[string]string{"home/.swop/": "", "home/.codex/": "", "home/.config/swop/": "", "home/file": "", "view/": ""}))
	testhome.NoError(t, unix.Mkfifo(s.Home+"/fifo", 0o600))
	socket, err := net.Listen("unix", s.Home+"/socket")
	testhome.NoError(t, err)
	defer socket.Close()
	scope, err := s.Scope()
	testhome.NoError(t, err)
	for name, want := range map[string]string{"file": "ro:" + s.Home + "/file", "fifo": "", "socket": ""} {
		if got := inside(scope.mounts, s.Home+"/"+name); got != want {
			t.Errorf("%s leads to %q, want %q", name, got, want)
		}
	}
}

// TestHiddenElsewhere: what is hidden is not there by an entry of the codex home that leads to it either.
func TestHiddenElsewhere(t *testing.T) {
	for _, hidden := range []string{"dots", "dots/skills", "dots/skills/x"} {
		s := sceneAt(newTree(t, map[string]string{"home/.swop/": "", "home/.codex/": "", "home/.config/swop/": "", "home/dots/skills/x/y": "", "view/": ""}))
		s.View.Entries = []view.Entry{{Name: "skills", Source: s.Home + "/dots/skills", Kind: mountns.Readonly}}
		s.Policy.Hidden = []string{filepath.Join(s.Home, hidden)}
		scope, err := s.Scope()
		testhome.NoError(t, err)
		if got := inside(scope.mounts, s.Home+"/.codex/skills/x/y"); strings.HasSuffix(got, "dots/skills/x/y") {
			t.Errorf("with %s hidden it leads to %q", hidden, got)
		}
	}
}

// inside returns where a path inside leads, by the mounts in their order: "" for nowhere, else the host's path, behind rw: or ro:.
func inside(list []mountns.Mount, path string) (to string) {
	for _, m := range list {
		rest, ok := strings.CutPrefix(path, m.Target)
		if ok = ok && (rest == "" || rest[0] == '/' || m.Target == "/"); !ok {
			continue
		}
		switch m.Kind {
		case mountns.Writable:
			to = "rw:" + filepath.Join(m.Source, rest)
		case mountns.Readonly:
			to = "ro:" + filepath.Join(m.Source, rest)
		default:
			to = ""
		}
	}
	return to
}

// world is a home with a policy.
type world struct {
	home  string
	scene *Scene
	git   []string
}

// newWorld makes directories three levels deep, some of them repositories.
func newWorld(t *testing.T, r *rand.Rand) world {
	base := newTree(t, map[string]string{"home/.swop/accounts/other/auth.json": "", "home/.codex/auth.json": "", "home/.codex/skills/x": "", "home/.config/swop/": "", "view/": ""})
	w := world{home: filepath.Join(base, "home")}
	var all []string
	var grow func(dir string, levels int)
	grow = func(dir string, levels int) {
		all = append(all, dir)
		for i := range 3 {
			at := filepath.Join(dir, fmt.Sprint(i))
			if levels == 0 || r.IntN(3) == 0 {
				testhome.NoError(t, os.WriteFile(at, nil, 0o600))
				all = append(all, at)
				continue
			}
			testhome.NoError(t, os.Mkdir(at, 0o700))
			grow(at, levels-1)
		}
		if r.IntN(6) == 0 {
			testhome.NoError(t, os.Symlink(all[r.IntN(len(all))], filepath.Join(dir, "link")))
		}
	}
	for _, name := range []string{"a", "b", "c"} {
		testhome.NoError(t, os.Mkdir(filepath.Join(w.home, name), 0o700))
		grow(filepath.Join(w.home, name), 3)
	}
	dirs := slices.DeleteFunc(slices.Clone(all), func(path string) bool { return !disk.At(path).IsDir() })
	workspace := dirs[r.IntN(len(dirs))]
	for range r.IntN(2) {
		testhome.NoError(t, os.MkdirAll(filepath.Join(workspace, ".git", "hooks"), 0o700))
	}
	s := sceneAt(base)
	s.Workspace = workspace
	s.View.Entries = []view.Entry{{Name: "skills", Source: w.home + "/.codex/skills", Kind: mountns.Readonly}}
	s.Policy.Mode = config.Policies()[1+r.IntN(3)]
	for range r.IntN(3) {
		s.Policy.Hidden = append(s.Policy.Hidden, all[r.IntN(len(all))])
	}
	for range r.IntN(2) {
		s.Policy.Hidden = append(s.Policy.Hidden, filepath.Join(dirs[r.IntN(len(dirs))], "missing", "x"))
	}
	fixed := map[string]bool{w.home: r.IntN(2) == 0}
	for _, dir := range dirs {
		fixed[dir] = r.IntN(2) == 0
	}
	s.fixed = func(dir string) bool { return fixed[dir] }
	w.scene, w.git = &s, []string{filepath.Join(workspace, ".git")}
	return w
}

func (w world) writable(path string) bool {
	s := w.scene
	return s.Policy.Mode == config.ConfineFull || s.Policy.Mode == config.ConfineWorkspace && config.Within(path, s.Workspace)
}

// hidesWorkspace reports whether there is no workspace: it is hidden, in what is read-only.
func (w world) hidesWorkspace() bool {
	in := func(hidden string) bool { return config.Within(w.scene.Workspace, hidden) }
	return w.scene.Policy.Mode == config.ConfineWorkspace && slices.ContainsFunc(w.scene.Policy.Hidden, in)
}

// gives is the model.
func (w world) gives(path string) string {
	s := w.scene
	in := func(dir string) bool { return config.Within(path, dir) }
	switch {
	case slices.ContainsFunc(s.Policy.Hidden, in):
		return ""
	case in(s.SharedHome + "/skills"):
		return "ro:" + path
	case in(s.SharedHome):
		return "rw:" + s.View.Dir + strings.TrimPrefix(path, s.SharedHome)
	case in(s.Root), s.Policy.Mode != config.ConfineFull && w.composed(path):
		return ""
	case in(s.Config), s.Policy.Mode == config.ConfineWorkspace && in(w.git[0]), !w.writable(path):
		return "ro:" + path
	}
	return "rw:" + path
}

// composed reports whether the session has a directory of its own there: something below is not given, and cannot be covered.
func (w world) composed(path string) bool {
	s := w.scene
	below := func(of string) bool {
		rest, ok := strings.CutPrefix(of, path+"/")
		name, _, _ := strings.Cut(rest, "/")
		return ok && !(s.fixed(path) && disk.At(filepath.Join(path, name)).IsDir())
	}
	return !w.writable(path) && (below(s.Root) || slices.ContainsFunc(s.Policy.Hidden, below))
}
