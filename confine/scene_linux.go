package confine

import (
	"path/filepath"
	"slices"
	"strconv"

	"swop/config"
	"swop/confine/desk"
	"swop/confine/mountns"
)

// Scene is all that decides what a confined session sees. Paths are absolute, with links resolved, and exist.
type Scene struct {
	Policy Policy
	Dir    string // the working directory

	Home        string // the user's own
	SandboxHome string // the account's, a link to the real one inside: each mount costs time, and there is one home to mount into
	SharedHome  string // the codex home that all accounts share, where the view is shown
	Root        string // swop's root
	Config      string // where selector.toml and config.toml lie

	Workspace []Root     // what is writable around the working directory: see [Workspace]
	Programs  []string   // the directories of swop's programs
	Protected []string   // what else runs outside later: the start-up files that exist, the real codex
	HomeMasks []HomeMask // of the entries of the home that are private
	Visible   []string   // what codex needs beside all this
	Hidden    []string   // what it must not see beside the policy's
	Sockets   []string   // Unix sockets of the host
	Granted   []string   // what can be written beside the workspace, whatever the policy

	View      View
	Databases string // the directory of the account's databases
	Runtime   string // the directory that is shown at [desk.RuntimeDir]
	Helper    string // the program that is shown at [HelperPath]
	UID       int
}

// View is the codex home of one session: a directory of its own, with entries of the host's codex homes mounted into it.
type View struct {
	Dir     string
	Entries []Entry
	empty   string // the first file that something is mounted on, "" for none yet
}

// Entry is a file or directory of the host that is mounted into a view.
type Entry struct {
	Name     string
	Source   string
	Writable bool
}

// HomeMask says what HOME has in place of an entry of the real one.
type HomeMask struct {
	Name   string
	Source string // the account's own entry, "" for none
	Dir    bool   // what the real home has is a directory
}

// mounts returns what a confined session sees, in the order in which it is put together, and fails with a [*Violation] where the policy would
// give what none gives.
func (s *Scene) mounts() ([]mountns.Mount, error) {
	b := builder{scene: s}
	roots, err := s.roots()
	if err != nil {
		return nil, err
	}
	b.base()
	b.pin()
	b.homes()
	for _, root := range roots {
		b.root(root)
	}
	b.protect()
	b.views()
	b.masks()
	b.runtime()
	return b.list, nil
}

// builder puts mounts together.
type builder struct {
	scene *Scene
	list  []mountns.Mount
}

func (b *builder) add(k mountns.Kind, source, target string) {
	b.list = append(b.list, mountns.Mount{Kind: k, Source: source, Target: target})
}

// show shows a path of the host in its place.
func (b *builder) show(k mountns.Kind, path string) { b.add(k, path, path) }

// cover puts something else there.
func (b *builder) cover(k mountns.Kind, path string) { b.add(k, "", path) }

// base is what no home decides. What the host has in /tmp and /run are mostly sockets.
func (b *builder) base() {
	k := mountns.Readonly
	if b.scene.Policy.Mode == config.ConfineFull {
		k = mountns.Writable
	}
	b.add(k, "/", "/")
	if k == mountns.Writable {
		b.add(mountns.Readonly, "/sys", "/sys") // root owns files there that reach out of any sandbox
	}
	b.add(mountns.Devices, "", "/dev")
	b.add(mountns.Processes, "", "/proc")
	b.add(mountns.Empty, "", "/tmp")
	b.add(mountns.Empty, "", "/run")
	for _, path := range b.scene.Visible {
		b.add(mountns.Readonly, path, path)
	}
	if isCovered(b.scene.Home) {
		b.show(k, b.scene.Home)
	}
}

// homes hides swop's root, and leads to the home from the account's place in it.
func (b *builder) homes() {
	s := b.scene
	k := mountns.Readonly
	if s.Policy.Mode == config.ConfineFull {
		k = mountns.Writable
	}
	b.add(mountns.Empty, "", s.Root)
	b.add(mountns.Link, s.Home, s.SandboxHome)
	for _, root := range s.Workspace {
		if isCovered(root.Path) {
			b.show(k, root.Path)
		}
	}
	for _, path := range s.Visible {
		if config.Within(path, s.Root) {
			b.add(mountns.Readonly, path, path)
		}
	}
}

// isCovered reports whether base puts something else in the place of path.
func isCovered(path string) bool {
	return config.Within(path, "/tmp") || config.Within(path, "/run") || config.Within(path, "/dev")
}

func (b *builder) root(root Root) {
	b.show(mountns.Writable, root.Path)
	for _, path := range root.Pinned {
		b.show(mountns.Writable, path)
	}
	for _, path := range root.Readonly {
		b.show(mountns.Readonly, path)
	}
}

// pin binds the directories above what is protected onto themselves, where all can be written, so that they cannot be moved away.
func (b *builder) pin() {
	s := b.scene
	if s.Policy.Mode != config.ConfineFull {
		return
	}
	var pinned []string
	for _, path := range append(s.protected(), s.Root, s.SharedHome) {
		for dir := filepath.Dir(path); dir != "/" && !slices.Contains(pinned, dir); dir = filepath.Dir(dir) {
			pinned = append(pinned, dir)
		}
	}
	slices.Sort(pinned) // those above come first
	for _, dir := range pinned {
		if !isCovered(dir) || config.Within(dir, s.Home) {
			b.show(mountns.Writable, dir)
		}
	}
}

// protected returns what decides about later sessions.
func (s *Scene) protected() (paths []string) {
	for _, path := range slices.Concat([]string{s.Config}, s.Programs, s.Protected) {
		if path != "" && !config.Within(path, s.Root) {
			paths = append(paths, path)
		}
	}
	return paths
}

// protect shows what decides about later sessions read-only.
func (b *builder) protect() {
	for _, path := range b.scene.protected() {
		b.show(mountns.Readonly, path)
	}
}

// views shows the codex home of the session, and the databases.
func (b *builder) views() {
	s := b.scene
	for _, at := range s.viewPlaces() {
		b.add(mountns.Writable, s.View.Dir, at)
		for _, e := range s.View.Entries {
			k := mountns.Readonly
			if e.Writable {
				k = mountns.Writable
			}
			b.add(k, e.Source, filepath.Join(at, e.Name))
		}
	}
	b.add(mountns.Writable, s.Databases, s.Databases)
}

func (s *Scene) viewPlaces() []string {
	places := []string{s.SharedHome}
	if usual := filepath.Join(s.Home, ".codex"); usual != s.SharedHome && isDir(usual) { // it may have a login of its own
		places = append(places, usual)
	}
	return places
}

// masks covers what is not to be seen.
func (b *builder) masks() {
	s := b.scene
	hidden := slices.Concat(outermost(s.Policy.Hidden), s.Hidden)
	for _, path := range hidden {
		b.cover(hiding(path), path)
	}
	for _, m := range s.HomeMasks {
		at := filepath.Join(s.Home, m.Name)
		switch {
		case m.Source != "":
			b.add(mountns.Writable, m.Source, at)
		case m.Dir:
			b.add(mountns.Empty, "", at)
		default:
			b.add(mountns.Nothing, "", at)
		}
	}
	for _, path := range s.Sockets {
		if !slices.Contains(s.Policy.Sockets, path) {
			b.cover(mountns.Nothing, path)
		}
	}
	for _, path := range s.Policy.Sockets {
		b.add(mountns.Writable, path, path) // also where /tmp or /run hide it, or the policy
	}
	for _, path := range hidden {
		if hiding(path) == mountns.Empty {
			b.cover(mountns.Fixed, path)
		}
	}
}

// outermost returns those of paths that lie in no other one.
func outermost(paths []string) (list []string) {
	for i, path := range paths {
		if !slices.ContainsFunc(paths, func(dir string) bool { return dir != path && config.Within(path, dir) }) && !slices.Contains(paths[:i], path) {
			list = append(list, path)
		}
	}
	return list
}

// hiding returns what covers a directory or a file of the host.
func hiding(path string) mountns.Kind {
	if isDir(path) {
		return mountns.Empty
	}
	return mountns.Nothing
}

func (b *builder) runtime() {
	s := b.scene
	b.add(mountns.Readonly, s.Runtime, desk.RuntimeDir)
	b.add(mountns.Readonly, s.Helper, HelperPath)
	b.cover(mountns.Directory, "/run/user/"+strconv.Itoa(s.UID))
	b.add(mountns.Fixed, "", s.Root)
}
