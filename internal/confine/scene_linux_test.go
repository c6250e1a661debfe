package confine

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/confine/mount"
	"swop/internal/disk"
	"swop/internal/test/testhome"
)

// TestScenes makes scenes of random homes and policies: what the mounts of each show at any path is what its rules say of that path. It
// reckons that path by path, without the engine.
func TestScenes(t *testing.T) {
	seeds := uint64(300)
	if testing.Short() {
		seeds = 60
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		home := filepath.Join(t.TempDir(), "home")
		s := randomScene(t, r, home)
		s.layOut()
		testhome.NoError(t, filepath.WalkDir(home, func(path string, _ os.DirEntry, err error) error {
			if err != nil || path == home {
				return err
			}
			if got, want := shownAt(s.sorted("/"), path), wanted(s, path); got != want {
				t.Errorf("seed %d: %s is %s, want %s\ngiven %q, hidden %q, writable %q", seed, path, got, want, s.Given, s.Policy.Hidden,
					s.Policy.Writable)
			}
			return nil
		}))
		for _, m := range s.mounts("/") { // by the home's paths, another session could lead the covers elsewhere
			covers := strings.HasPrefix(m.Target, s.Home+"/") && len(s.sorted(m.Target)) > 1
			if m.Kind != mount.Again && covers {
				t.Errorf("seed %d: %s is mounted in its place", seed, m.Target)
			}
		}
		if t.Failed() {
			return
		}
	}
}

// TestHomes: no entry of passwd(5) takes a directory away that all programs need; what is not the system's is not there.
func TestHomes(t *testing.T) {
	const passwd = "root:x:0:0::/root:/bin/sh\ngit:x:105:105::/var/lib/git:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n" +
		"x:x:1000:1:,,:/usr/:\nyou:x:1001:1001:You:/data/you:/bin/sh\nold:x:1002:1002::/var/lib/old:/bin/sh\nbuild:x:1003:1003::/build/:\n\n+::::::\n"
	if got := mount.Homes(passwd); !slices.Equal(got, []string{"/data/you", "/var/lib/old", "/build"}) {
		t.Errorf("Homes = %q", got)
	}
	if d := (Disk{Users: []string{"/usr/lib"}}); d.Has("/usr/lib/x") || !d.Has("/usr/bin/x") || d.Has("/tmp/x") {
		t.Error("a directory of users is there, or one of the system's is not")
	}
	if users, err := mount.OfUsers(); err != nil || !slices.Contains(users, "/home") || slices.Contains(users, "/usr") {
		t.Errorf("OfUsers = %q, %v", users, err)
	}
}

// TestHiddenByLink: a skill of the shared codex home that is a link to what is hidden is not there either.
func TestHiddenByLink(t *testing.T) {
	s := randomScene(t, rand.New(rand.NewPCG(1, 1)), filepath.Join(t.TempDir(), "home"))
	hidden := filepath.Join(s.Home, "notes")
	testhome.PutFile(t, filepath.Join(hidden, "SKILL.md"), "x")
	s.Policy.Hidden, s.Shared = []string{hidden}, map[string]string{"skills/led": hidden}
	s.layOut()
	for _, m := range s.sorted("/") {
		if config.Within(m.Source, hidden) {
			t.Errorf("%s is shown at %s", m.Source, m.Target)
		}
	}
}

// TestHiddenForAMoment: what a running session lets nobody see while a scene is laid out is covered as it was found before.
func TestHiddenForAMoment(t *testing.T) {
	if os.Geteuid() == 0 {
		return // root sees all; the suite runs as both
	}
	s := randomScene(t, rand.New(rand.NewPCG(1, 1)), filepath.Join(t.TempDir(), "home"))
	app := filepath.Join(s.Workspace, "app")
	git, hidden := filepath.Join(app, ".git"), filepath.Join(app, "hidden")
	testhome.PutFile(t, filepath.Join(git, "HEAD"), "x")
	testhome.PutFile(t, filepath.Join(s.Workspace, ".git", "HEAD"), "x")
	s.Policy.Mode, s.Policy.Hidden, s.roots = config.ConfineWorkspace, []string{hidden}, nil
	s.findRoots()
	testhome.NoError(t, os.Chmod(app, 0))
	s.layOut()
	_, to := disk.Links(git)
	workspace, err := WorkspaceOf(app, s.Home)
	testhome.NoError(t, errors.Join(os.Chmod(app, 0o700), os.Chmod(s.Workspace, 0)))
	_, found, _ := obeyed(app)
	testhome.NoError(t, os.Chmod(s.Workspace, 0o700))
	for path, want := range map[string]mount.Mount{
		git: {Kind: mount.Readonly, Source: git, Target: git}, app: {Kind: mount.Writable, Source: app, Target: app},
		hidden: {Kind: mount.Readonly, Source: os.DevNull, Target: hidden},
	} {
		if s.rules[path] != want {
			t.Errorf("the rule of %s is %v", path, s.rules[path])
		}
	}
	if to != "" || err == nil || !slices.Contains(found, app) {
		t.Errorf("Links = %q, the workspace is %s, and %q is read-only", to, workspace, found)
	}
}

// randomScene returns a scene of a home in which names repeat, so that rules meet.
func randomScene(t *testing.T, r *rand.Rand, home string) *Scene {
	t.Helper()
	names := []string{"a", "b", "c"}
	var dirs []string
	for range 12 {
		dir := home
		for range 1 + r.IntN(3) {
			dir = filepath.Join(dir, names[r.IntN(len(names))])
		}
		testhome.NoError(t, os.MkdirAll(dir, 0o700))
		dirs = append(dirs, dir)
	}
	for i, dir := range dirs {
		testhome.PutFile(t, filepath.Join(dir, fmt.Sprintf("file%d", i)), "x")
	}
	root := filepath.Join(home, "swop")
	for _, dir := range []string{root + "/accounts/work/home/.codex", home + "/.codex", home + "/config", home + "/project"} {
		testhome.NoError(t, os.MkdirAll(dir, 0o700))
	}
	pick := func() string { return dirs[r.IntN(len(dirs))] }
	s := &Scene{
		Places: config.Places{Home: home, Root: root, Config: home + "/config"}, OwnHome: root + "/accounts/work/home",
		Workspace: home + "/project", Runtime: t.TempDir(), Request: Request{
			SharedHome: home + "/.codex", Helper: "/bin/true", Policy: Policy{config.ConfineWorkspace, config.Confinement{Git: config.GitRead}},
		},
	}
	if r.IntN(4) == 0 {
		s.Policy.Mode = config.ConfineReadOnly
	}
	s.Given = map[string]string{}
	for range 3 {
		path := pick()
		s.Given[path] = path
	}
	s.Policy.Writable = []string{pick()}
	for range 2 {
		if path := pick(); !config.Within(s.Policy.Writable[0], path) { // else the writable one is in what is hidden
			s.Policy.Hidden = append(s.Policy.Hidden, path)
		}
	}
	s.findRoots()
	return s
}

// What a path can be.
const (
	absent   = "not there"
	readable = "read-only"
	writes   = "writable"
)

// shownAt returns what the mounts show at a path of the host: the last one that leads there counts.
func shownAt(mounts []mount.Mount, path string) string {
	for _, m := range slices.Backward(mounts) {
		if !config.Within(path, m.Target) {
			continue
		}
		switch {
		case m.Source != m.Target, m.Kind != mount.Readonly && m.Kind != mount.Writable:
			return absent
		case m.Kind == mount.Writable:
			return writes
		}
		return readable
	}
	return absent
}

// wanted returns what the policy says of a path.
func wanted(s *Scene, path string) string {
	within := func(dirs ...string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool { return config.Within(path, dir) })
	}
	switch {
	case within(s.Policy.Hidden...), within(s.Root, s.SharedHome):
		return absent
	case s.Policy.Mode == config.ConfineWorkspace && within(append(s.Policy.Writable, s.Workspace)...):
		if within(filepath.Join(s.Workspace, ".codex"), filepath.Join(s.Policy.Writable[0], ".codex")) {
			return readable
		}
		return writes
	case within(s.Workspace), within(slices.Collect(maps.Keys(s.Given))...):
		return readable
	}
	return absent // or the account's own
}

// A request to a bridge goes to swop's own listener, and to no other one that "localhost" may lead to first.
func TestForwarded(t *testing.T) {
	j := Jail{scene: Scene{Request: Request{Ports: []int{4000}}}}
	j.scene.Policy.Network.Hosts = []string{"localhost:4000", "127.0.0.2:5432", "a.localhost:1", "localhost", "localhost:3128"}
	if got, want := fmt.Sprint(j.forwarded()), "map[4000:127.0.0.1:4000 5432:127.0.0.2:5432]"; got != want {
		t.Errorf("forwarded = %s, want %s", got, want)
	}
}

// A link that leads too far makes its directory read-only, and so does a path that is too long; too many of them make all read-only.
func TestObeyed(t *testing.T) {
	dir := t.TempDir()
	testhome.PutFile(t, filepath.Join(dir, "to/.git/HEAD"), "")
	testhome.PutFile(t, filepath.Join(dir, "far/.git"), "gitdir: "+strings.Repeat("/a", 3000))
	testhome.NoError(t, os.Symlink(strings.Repeat("./", 1000)+"to", filepath.Join(dir, ".codex")))
	git, codex, more := obeyed(dir)
	if !slices.Equal(git, []string{filepath.Join(dir, "far/.git"), filepath.Join(dir, "to/.git")}) || more || !slices.Contains(codex, dir) {
		t.Errorf("obeyed = %q, %q, %v", git, codex, more)
	}
	fifo := filepath.Join(t.TempDir(), "fifo")
	testhome.NoError(t, unix.Mkfifo(fifo, 0o600))
	obeyed(fifo) // in the place of a directory it keeps nobody waiting
	other, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	testhome.NoError(t, os.Symlink(other, link))
	(&Scene{Workspace: link, Request: Request{Policy: Policy{Mode: config.ConfineWorkspace}}}).findRoots() // that another put there
	if names, err := os.ReadDir(other); len(names) > 0 || err != nil {
		t.Errorf("a link leads to a new %v, %v", names, err)
	}
	testhome.PutFile(t, filepath.Join(dir, strings.Repeat(strings.Repeat("d", 199)+"/", 20), ".codex/x"), "")
	if _, codex, _ = obeyed(dir); slices.ContainsFunc(codex, func(path string) bool { return len(path) > longest }) || len(codex) < 3 {
		t.Errorf("obeyed = %q", codex)
	}
	was := mostListed
	mostListed = 1
	if _, codex, _ = obeyed(dir + "/to"); !slices.Contains(codex, dir+"/to") {
		t.Error("a directory that is not listed to its end can be written")
	}
	mostListed = was
	for n := range 340 {
		at := filepath.Join(dir, strconv.Itoa(n))
		if n < 40 {
			testhome.NoError(t, os.Symlink(strconv.Itoa(n+1), at))
		} else {
			testhome.NoError(t, errors.Join(os.Mkdir(at, 0o700), os.Symlink("../0", at+"/.codex")))
		}
	}
	if r := (&Scene{}).rootAt(dir, false); !slices.Equal(r.readonly, []string{dir}) {
		t.Errorf("%d paths are read-only", len(r.readonly))
	}
}
