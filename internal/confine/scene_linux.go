package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"swop/config"
	"swop/internal/confine/desk"
	"swop/internal/confine/mount"
	"swop/internal/disk"
	"swop/internal/home/rules"
)

// Scene is all that decides what a confined session sees. Paths are absolute, with links resolved, and exist.
type Scene struct {
	Policy Policy

	Home       string // the user's own
	OwnHome    string // what is shown as the home, below the entries of the user's own: the account's. A link leads to the home in its place
	SharedHome string // the codex home that unconfined accounts share
	Shared     []string
	Root       string // swop's root
	Config     string // where selector.toml and config.toml lie

	Workspace string   // what is writable around the working directory: see [WorkspaceOf]
	Programs  []string // the directories of swop's programs, and the real codex
	Visible   []string // what codex needs beside all this
	Hidden    []string // what it must not see beside the policy's
	Granted   []string // what can be written beside the workspace, whatever the policy
	Covered   []string // sockets of this machine, and what is of no use inside

	Runtime string // the directory that is shown at [desk.RuntimeDir]
	Helper  string // the program that is shown at [HelperPath]
	mounted mount.Table
}

// SharedDir is where a session has what it sees of the shared codex home.
const SharedDir = "/run/codex-shared"

// Scope is what a session sees, and may be given while it runs.
type Scope struct {
	layout
	scene *Scene
	roots []Root
}

// Scope returns what a session of the scene sees.
func (s *Scene) Scope() (*Scope, error) {
	b := s.rules()
	err := b.mount("/")
	b.mounts = append(b.mounts, mount.Mount{Kind: mount.Readonly, Source: s.Helper, Target: HelperPath}) // on a file that is made for it
	return b, err
}

// with returns the scene with a path that can be read or written besides.
func (s *Scene) with(path string, kind string) Scene {
	c := *s
	c.Policy.Hidden = slices.DeleteFunc(slices.Clone(c.Policy.Hidden), func(hidden string) bool { return hidden == path })
	if kind == desk.KindWrite {
		c.Granted = append(slices.Clip(c.Granted), path)
	}
	return c
}

// rules returns the rules by which a session sees what it sees. Those that come later win.
func (s *Scene) rules() *Scope {
	b := &Scope{scene: s, roots: s.roots()}
	b.base()
	b.homes()
	for _, root := range b.roots {
		b.root(root)
	}
	b.protect()
	b.masks()
	b.codexHome()
	b.sockets()
	b.runtime()
	b.keepNames()
	return b
}

// all is how what no rule says more of is shown.
func (s *Scene) all() mount.Kind {
	if s.Policy.HasHome() {
		return mount.Writable
	}
	return mount.Readonly
}

// base is what no home decides. What the host has in /tmp and /run are mostly sockets. /proc is the host's until the session's own is
// mounted over it.
func (b *Scope) base() {
	k := b.scene.all()
	b.show(k, "/")
	b.show(mount.Readonly, "/sys") // root owns files there that reach out of any sandbox
	b.devices()
	b.show(mount.Writable, "/proc")
	b.add(mount.Empty, "", "/tmp")
	b.add(mount.Empty, "", "/run")
}

// devices shows a small /dev: what every program expects, and terminals of the session's own.
func (b *Scope) devices() {
	b.add(mount.Empty, "", "/dev")
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		b.show(mount.Device, "/dev/"+name)
	}
	for name, to := range map[string]string{
		"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2",
		"core": "/proc/kcore", "ptmx": "pts/ptmx",
	} {
		b.add(mount.Link, to, "/dev/"+name)
	}
	b.add(mount.Directory, "", "/dev/shm")
	b.add(mount.Terminals, "", "/dev/pts")
}

// homes shows the home, the account's own with what may be seen of the user's, and hides swop's root.
func (b *Scope) homes() {
	s := b.scene
	b.hideMounts([]string{s.Home, s.Root, s.SharedHome})
	if s.Policy.HasHome() {
		if isCovered(s.Home) {
			b.show(mount.Writable, s.Home)
		}
	} else {
		b.layout.home, b.layout.own = s.Home, s.OwnHome
		b.show(mount.Readonly, s.Home)
		for _, path := range s.Policy.Own {
			if !slices.ContainsFunc(b.roots, func(root Root) bool { return config.Within(path, root.Path) }) {
				b.hide(path) // the account's own home has it
			}
		}
	}
	b.hide(s.Root)
	if isCovered(s.Workspace) || b.rule(s.Workspace).Kind == hidden {
		b.show(s.all(), s.Workspace)
	}
	for _, path := range s.Visible {
		b.show(mount.Readonly, path)
	}
}

// isCovered reports whether base puts something else in the place of path.
func isCovered(path string) bool {
	return config.Within(path, "/tmp") || config.Within(path, "/run") || config.Within(path, "/dev")
}

// root shows a root.
func (b *Scope) root(root Root) {
	b.show(mount.Writable, root.Path)
	for _, path := range root.Readonly {
		if config.Within(path, root.Path) && disk.At(path).Exists() {
			b.show(mount.Readonly, path) // also a link, which stays where it is
		}
	}
}

// protect shows what decides about later sessions read-only.
func (b *Scope) protect() {
	for _, path := range append([]string{b.scene.Config}, b.scene.Programs...) {
		if path == "" || config.Within(path, b.scene.Root) {
			continue
		}
		b.show(mount.Readonly, path)
	}
}

// masks hides what is not to be seen: what the policy says, what holds a login of swop's or codex's, and names at the top of the home that
// a login would have.
func (b *Scope) masks() {
	s := b.scene
	for _, path := range s.credentials() {
		if b.rule(filepath.Dir(path)).Kind != mount.Writable && !slices.Contains(s.Granted, path) {
			b.hide(path)
		}
	}
	secret := slices.Concat(config.Outermost(s.Policy.Hidden), s.Hidden, []string{s.SharedHome, disk.Resolve(filepath.Join(s.Home, ".codex"))})
	for _, path := range secret {
		b.cover(path)
	}
	b.hideMounts(secret)
	for _, path := range s.Policy.Sockets {
		b.show(mount.Writable, path) // also where /tmp or /run hide it, or the policy
	}
}

// credentials returns the entries of the home whose names look like a login's, unless the policy names them.
func (s *Scene) credentials() (list []string) {
	entries, _ := os.ReadDir(s.Home) // what cannot be read cannot be seen
	for _, entry := range entries {
		path := filepath.Join(s.Home, entry.Name())
		if rules.LooksSecret(entry.Name()) && !slices.Contains(s.Policy.Writable, path) && s.Workspace != path {
			list = append(list, path)
		}
	}
	return list
}

// cover hides a path. A file in a directory that can be written, or in the root, it can only cover: it is there again when a program
// outside replaces it.
func (b *Scope) cover(path string) {
	dir, here := filepath.Dir(path), disk.At(path)
	if (dir == "/" || b.rule(dir).Kind == mount.Writable) && here.Exists() && !here.IsDir() {
		b.add(mount.Readonly, os.DevNull, path) // which is no device there: opening it is refused
		return
	}
	b.hide(path)
}

// codexHome shows the account's codex home, and what it sees of the shared one.
func (b *Scope) codexHome() {
	s := b.scene
	own := filepath.Join(s.OwnHome, ".codex")
	if s.Policy.HasHome() {
		b.show(mount.Writable, own)
	} else {
		b.add(mount.Link, s.Home, s.OwnHome)
		own = filepath.Join(s.Home, ".codex")
		b.hide(own) // the account's home has it
	}
	b.hide(SharedDir)
	for _, name := range s.Shared {
		b.add(mount.Link, filepath.Join(SharedDir, name), filepath.Join(own, name)) // what the account has there stays
		path := filepath.Join(s.SharedHome, name)
		if to := disk.Resolve(path); to != path {
			b.add(mount.Link, to, filepath.Join(SharedDir, name))
			continue
		}
		b.add(mount.Readonly, path, filepath.Join(SharedDir, name))
	}
	for _, path := range s.Policy.Hidden {
		if rest, ok := strings.CutPrefix(path, s.SharedHome+"/"); ok {
			b.hide(filepath.Join(SharedDir, rest))
		}
	}
}

// sockets covers the sockets in sight, by which programs outside could be asked for anything, and the like.
func (b *Scope) sockets() {
	for _, path := range b.scene.Covered {
		if slices.ContainsFunc(b.scene.Visible, func(dir string) bool { return config.Within(path, dir) }) {
			continue // a bridge's
		}
		if rule := b.rule(path); rule.Kind != hidden && rule.Source != "" && rule.Source == rule.Target &&
			!slices.Contains(b.scene.Policy.Sockets, path) {
			b.add(mount.Readonly, os.DevNull, path)
		}
	}
}

// keepNames lets the session move no path that has a rule: a later one would find something else there.
func (b *Scope) keepNames() {
	for _, m := range b.top.rules() {
		b.keep(filepath.Dir(m.Target))
	}
}

// keep binds a path and the directories above it onto themselves, up to the one whose rule makes them writable: a mount point cannot be
// moved.
func (b *Scope) keep(path string) {
	for r := b.rule(path); r.Kind == mount.Writable && r.Source == r.Target && path != r.Target; path = filepath.Dir(path) {
		if real, err := filepath.EvalSymlinks(path); err == nil && real == path {
			b.show(mount.Writable, path)
		}
	}
}

func (b *Scope) runtime() {
	s := b.scene
	b.add(mount.Readonly, s.Runtime, desk.RuntimeDir)
	b.add(mount.Directory, "", "/run/user/"+strconv.Itoa(os.Geteuid()))
}

// hideMounts hides paths where other mounts lead to them.
func (b *Scope) hideMounts(paths []string) {
	for _, path := range paths {
		for _, other := range b.scene.mounted.Elsewhere(path) {
			b.cover(other)
		}
	}
}
