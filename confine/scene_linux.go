package confine

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"swop/config"
	"swop/confine/desk"
	"swop/confine/mountns"
	"swop/confine/repository"
	"swop/confine/view"
	"swop/disk"
)

// Scene is all that decides what a confined session sees. Paths are absolute, with links resolved, and exist.
type Scene struct {
	Policy Policy

	Home        string // the user's own
	SandboxHome string // the account's, a link to the real one inside: each mount costs time, and there is one home to mount into
	SharedHome  string // the codex home that all accounts share, where the view is shown
	Root        string // swop's root
	Config      string // where selector.toml and config.toml lie

	Workspace string          // what is writable around the working directory: see [WorkspaceOf]
	Programs  []string        // the directories of swop's programs
	Protected []string        // what else runs outside later: the start-up files that exist, the real codex
	Private   []mountns.Mount // the entries of the home that are private: what the account has of its own, from no source for nothing
	Visible   []string        // what codex needs beside all this
	Hidden    []string        // what it must not see beside the policy's
	Granted   []string        // what can be written beside the workspace, whatever the policy
	Git       repository.User // whose git obeys what it writes
	Kept      []string        // what keeps its name beside what this session sees in another way than the directory above

	View    view.View
	Own     string // what the account's confined sessions have together, such as databases
	Runtime string // the directory that is shown at [desk.RuntimeDir]
	Helper  string // the program that is shown at [HelperPath]
	fixed   func(dir string) bool
	mounted mountns.Table
	found   map[foundAt]Root
}

// Scope returns what a session of the scene sees. It fails with a [*Violation] where the policy would give what none gives.
func (s *Scene) Scope() (*Scope, error) {
	b, err := s.layout()
	if err == nil {
		err = b.mount("/")
		b.mounts = append(b.mounts, mountns.Mount{Kind: mountns.Readonly, Source: s.Helper, Target: HelperPath}) // on a file that is made for it
	}
	return b, err
}

// with returns the scene with a path that can be read or written besides.
func (s *Scene) with(path string, to desk.Access) Scene {
	c := *s
	c.Policy.Hidden = slices.DeleteFunc(slices.Clone(c.Policy.Hidden), func(hidden string) bool { return hidden == path })
	if to == desk.ToWrite {
		c.Granted, c.found = append(slices.Clip(c.Granted), path), maps.Clone(c.found)
		delete(c.found, foundAt{path, true})
	}
	return c
}

// layout returns the rules by which a session sees what it sees. Those that come later win.
func (s *Scene) layout() (*Scope, error) {
	b := &Scope{scene: s, layout: layout{fixed: s.fixed, view: s.View.Dir}}
	roots, err := s.roots()
	if err != nil {
		return nil, err
	}
	b.base()
	b.homes()
	for _, root := range roots {
		b.root(root)
	}
	b.protect()
	b.views()
	err = b.masks()
	b.runtime()
	b.keepNames()
	return b, err
}

// all is how what no rule says more of is shown.
func (s *Scene) all() mountns.Kind {
	if s.Policy.Mode == config.ConfineFull {
		return mountns.Writable
	}
	return mountns.Readonly
}

// base is what no home decides. What the host has in /tmp and /run are mostly sockets. /proc is the host's until the session's own is mounted over it.
func (b *Scope) base() {
	k := b.scene.all()
	b.show(k, "/")
	b.show(mountns.Readonly, "/sys") // root owns files there that reach out of any sandbox
	b.devices()
	b.show(mountns.Writable, "/proc")
	b.add(mountns.Empty, "", "/tmp")
	b.add(mountns.Empty, "", "/run")
	for _, path := range b.scene.Visible {
		b.show(mountns.Readonly, path)
	}
	if isCovered(b.scene.Home) {
		b.show(k, b.scene.Home)
	}
}

// homes hides swop's root, and leads to the home from the account's place in it.
func (b *Scope) homes() {
	s := b.scene
	b.hideMountedAgain()
	b.hide(s.Root)
	b.add(mountns.Link, s.Home, s.SandboxHome)
	if isCovered(s.Workspace) || b.rule(s.Workspace).Kind == hidden {
		b.show(s.all(), s.Workspace)
	}
	for _, path := range s.Visible {
		if b.rule(path).Kind == hidden {
			b.show(mountns.Readonly, path)
		}
	}
}

// isCovered reports whether base puts something else in the place of path.
func isCovered(path string) bool {
	return config.Within(path, "/tmp") || config.Within(path, "/run") || config.Within(path, "/dev")
}

// root shows a root.
func (b *Scope) root(root Root) {
	b.show(mountns.Writable, root.Path)
	b.git = append(b.git, root.Git...)
	for _, m := range root.kept() {
		b.add(m.Kind, m.Source, m.Target)
		b.at(m.Target).rule.Final = m.Final
	}
}

// kept is what in a root cannot be written. Of what is missing, or a link, only .git and .codex at its top are watched.
func (root Root) kept() (list []mountns.Mount) {
	for _, path := range slices.Concat(root.Readonly, root.Git) {
		m := mountns.Mount{Kind: mountns.Readonly, Source: path, Target: path}
		if info, err := os.Lstat(path); err != nil {
			m.Kind, m.Source = mountns.Absent, ""
		} else if info.Mode()&fs.ModeSymlink != 0 { // nothing can be mounted there
			real, _ := filepath.EvalSymlinks(path)
			m.Kind, m.Source = mountns.Absent, cmp.Or(real, os.DevNull) // for one that leads nowhere, and may not lead anywhere else
		}
		base := filepath.Base(path)
		m.Final = filepath.Dir(path) == root.Path && (base == ".git" || base == ".codex")
		if m.Kind != mountns.Absent || m.Final {
			list = append(list, m)
		}
	}
	return list
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
func (b *Scope) protect() {
	for _, path := range b.scene.protected() {
		b.show(mountns.Readonly, path)
		for _, other := range b.scene.mounted.Elsewhere(path, true) {
			if b.rule(other).Kind == mountns.Writable {
				b.show(mountns.Readonly, other)
			}
		}
	}
}

// views shows the codex home of the session, and what it has together with others. No other codex home is there: it may have a login of its own.
func (b *Scope) views() {
	s := b.scene
	if usual := filepath.Join(s.Home, ".codex"); disk.Resolve(usual) != s.SharedHome {
		b.hide(disk.Resolve(usual))
	}
	b.add(mountns.Writable, s.View.Dir, s.SharedHome)
	b.add(mountns.Writable, s.Own, filepath.Join(s.SharedHome, view.Own))
	for _, e := range s.View.Entries {
		b.add(e.Kind, e.Source, filepath.Join(s.SharedHome, e.Name))
	}
}

// masks hides what is not to be seen.
func (b *Scope) masks() error {
	s := b.scene
	secret := slices.Concat(config.Outermost(s.Policy.Hidden), s.Hidden)
	for _, m := range s.Private {
		secret = append(secret, m.Target)
	}
	for _, path := range secret {
		if err := b.hideSecret(path); err != nil {
			return err
		}
	}
	b.hideElsewhere(secret)
	b.hideMounts(secret)
	for _, m := range s.Private {
		if m.Source != "" {
			b.add(m.Kind, m.Source, m.Target)
		}
	}
	for _, path := range s.Policy.Sockets {
		b.show(mountns.Writable, path) // also where /tmp or /run hide it, or the policy
	}
	return nil
}

// hideSecret hides a path. In a directory that can be written only directories can be: what covers a file is gone when a program outside
// replaces that. A file that is alone in its directory is hidden with that.
func (b *Scope) hideSecret(path string) error {
	dir := filepath.Dir(path)
	if b.rule(dir).Kind == mountns.Writable && disk.At(path).Exists() && !disk.At(path).IsDir() {
		if list, err := view.Names(dir); err != nil || len(list) > 1 || b.at(dir).has {
			return &Violation{"the hidden file", path, "only a directory can be hidden in one that can be written: hide the directory, or move the file to one of its own"}
		}
		path = dir
	}
	b.hide(path)
	return nil
}

// keepNames lets the session move no path that decides about later ones, which would find something else there: what has a rule, and what is kept.
func (b *Scope) keepNames() {
	for _, path := range b.scene.Kept {
		b.keep(path)
	}
	for _, m := range b.rules("/") {
		b.keep(filepath.Dir(m.Target))
	}
}

// keep binds a path and the directories above it onto themselves, up to the one whose rule makes them writable: a mount point cannot be moved.
func (b *Scope) keep(path string) {
	for r := b.rule(path); r.Kind == mountns.Writable && r.Source == r.Target && path != r.Target; path = filepath.Dir(path) {
		if real, err := filepath.EvalSymlinks(path); err == nil && real == path {
			b.show(mountns.Writable, path)
		}
	}
}

func (b *Scope) runtime() {
	s := b.scene
	b.add(mountns.Readonly, s.Runtime, desk.RuntimeDir)
	b.add(mountns.Directory, "", "/run/user/"+strconv.Itoa(os.Geteuid()))
}

// hideMountedAgain hides the home, and what is swop's and codex's, where other mounts lead to it.
func (b *Scope) hideMountedAgain() {
	s := b.scene
	for _, path := range s.mounted.Elsewhere(s.Home, false) {
		b.hide(path)
	}
	usual := filepath.Join(s.Home, ".codex")
	b.hideMounts([]string{s.Root, s.SharedHome, disk.Resolve(usual)})
}

// hideMounts hides paths where other mounts lead to them. A file that could be written is covered: it cannot be left out.
func (b *Scope) hideMounts(paths []string) {
	for _, path := range paths {
		for _, other := range b.scene.mounted.Elsewhere(path, true) {
			if b.rule(other).Kind == mountns.Writable && disk.At(other).Exists() && !disk.At(other).IsDir() {
				b.add(mountns.Readonly, os.DevNull, other) // which is no device there: opening it is refused
			} else {
				b.hide(other)
			}
		}
	}
}
