package confine

import (
	"path/filepath"
	"slices"
	"strconv"

	"swop/config"
	"swop/shim/desk"
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

	// Live says that all is mounted outside of bubblewrap, so that it can be changed while the session runs.
	Live bool
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

// kind says how a path is shown.
type kind uint8

const (
	writable  kind = iota // the host's, writable
	readonly              // the host's, not writable
	empty                 // an empty directory of the session's own, which forgets what is put there
	nothing               // for a file: it cannot even be read
	fixed                 // what was shown there cannot be written any more
	devices               // a small /dev of its own
	processes             // /proc, of its own
	link                  // a symbolic link to source
	directory             // an empty directory of the session's own, in another one
)

// mount shows something at a path inside. A later one covers an earlier one.
type mount struct {
	kind   kind
	source string // of what the host has
	target string
}

// mounts returns what a confined session sees, in the order in which it is put together, and fails with a [*Violation] where the policy would
// give what none gives.
func (s *Scene) mounts() ([]mount, error) {
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
	list  []mount
}

func (b *builder) add(k kind, source, target string) {
	b.list = append(b.list, mount{k, source, target})
}

// show shows a path of the host in its place.
func (b *builder) show(k kind, path string) { b.add(k, path, path) }

// cover puts something else there.
func (b *builder) cover(k kind, path string) { b.add(k, "", path) }

// base is what no home decides. What the host has in /tmp and /run are mostly sockets.
func (b *builder) base() {
	k := readonly
	if b.scene.Policy.Mode == config.ConfineFull {
		k = writable
	}
	b.add(k, "/", "/")
	if k == writable {
		b.add(readonly, "/sys", "/sys") // root owns files there that reach out of any sandbox
	}
	b.add(devices, "", "/dev")
	b.add(processes, "", "/proc")
	if b.scene.UID == 0 { // it owns the files there, whatever capabilities it lacks. bwrap covers other parts, so that nothing more is lost
		for _, path := range existing("/proc", "sys", "sysrq-trigger") {
			b.add(readonly, path, path)
		}
	}
	b.add(empty, "", "/tmp")
	b.add(empty, "", "/run")
	for _, path := range b.scene.Visible {
		b.add(readonly, path, path)
	}
	if isCovered(b.scene.Home) {
		b.show(k, b.scene.Home)
	}
}

// homes hides swop's root, and leads to the home from the account's place in it.
func (b *builder) homes() {
	s := b.scene
	k := readonly
	if s.Policy.Mode == config.ConfineFull {
		k = writable
	}
	b.add(empty, "", s.Root)
	b.add(link, s.Home, s.SandboxHome)
	for _, root := range s.Workspace {
		if isCovered(root.Path) {
			b.show(k, root.Path)
		}
	}
	for _, path := range s.Visible {
		if config.Within(path, s.Root) {
			b.add(readonly, path, path)
		}
	}
}

// isCovered reports whether base puts something else in the place of path.
func isCovered(path string) bool {
	return config.Within(path, "/tmp") || config.Within(path, "/run") || config.Within(path, "/dev")
}

func (b *builder) root(root Root) {
	b.show(writable, root.Path)
	for _, path := range root.Pinned {
		b.show(writable, path)
	}
	for _, path := range root.Readonly {
		b.show(readonly, path)
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
			b.show(writable, dir)
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
		b.show(readonly, path)
	}
}

// views shows the codex home of the session, and the databases.
func (b *builder) views() {
	s := b.scene
	for _, at := range s.viewPlaces() {
		b.add(writable, s.View.Dir, at)
		for _, e := range s.View.Entries {
			k := readonly
			if e.Writable {
				k = writable
			}
			b.add(k, e.Source, filepath.Join(at, e.Name))
		}
	}
	b.add(writable, s.Databases, s.Databases)
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
			b.add(writable, m.Source, at)
		case m.Dir:
			b.add(empty, "", at)
		default:
			b.add(nothing, "", at)
		}
	}
	for _, path := range s.Sockets {
		if !slices.Contains(s.Policy.Sockets, path) {
			b.cover(nothing, path)
		}
	}
	for _, path := range s.Policy.Sockets {
		b.add(writable, path, path) // also where /tmp or /run hide it, or the policy
	}
	for _, path := range hidden {
		if hiding(path) == empty {
			b.cover(fixed, path)
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
func hiding(path string) kind {
	if isDir(path) {
		return empty
	}
	return nothing
}

func (b *builder) runtime() {
	s := b.scene
	b.add(readonly, s.Runtime, desk.RuntimeDir)
	b.add(readonly, s.Helper, HelperPath)
	b.cover(directory, "/run/user/"+strconv.Itoa(s.UID))
	b.add(fixed, "", s.Root)
}
