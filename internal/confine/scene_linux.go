package confine

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/account"

	"swop/internal/confine/desk"
	"swop/internal/confine/mount"
	"swop/internal/disk"
)

// Scene is everything that decides what a confined session sees: a request, and what comes of it. Paths that are shown are absolute, have
// their links resolved, and exist, also those of the request and its policy.
type Scene struct {
	Request
	config.Places // the request's

	OwnHome      string            // the account's home, shown as the user's; at its own path a link leads there
	Shared       map[string]string // the entries of SharedHome that a session sees, and where each leads
	Workspace    string            // the writable directory around the working directory: see [WorkspaceOf]
	Given        map[string]string // of the user's files: see [Given.To]
	Obeyed       []string          // where it has programs and start-up files of the user's
	Own          []string          // see [Own]; and the links to the real codex
	Programs     []string          // swop's, and the real codex
	SharedConfig string            // the shared codex home's config.toml, "" for none
	Sockets      map[string]string // the policy's, and what each shows
	Runtime      string            // the directory that is shown at [desk.RuntimeDir]

	disk    Disk
	granted []string // hosts, by stored answers
	roots   []root   // found once: sessions write there

	// One for each path at which something is mounted, by [Scene.layOut]. A path without a rule is as its directory. A later rule of a path
	// replaces an earlier one; of two paths the inner one decides.
	rules map[string]mount.Mount
}

// SharedDir is where a session has what it sees of the shared codex home.
const SharedDir = "/run/codex-shared"

// with returns the scene with a path that can be read or written besides.
func (s *Scene) with(path string, kind string) Scene {
	c := *s
	if kind == desk.KindWrite { // with .git: what a command is given, its session may keep
		c.roots = append(slices.Clip(c.roots), root{path: path})
	} else {
		c.Given = maps.Clone(c.Given)
		c.Given[path] = path
	}
	return c
}

// layOut makes the rules.
func (s *Scene) layOut() {
	s.base()
	s.homes()
	for _, r := range slices.SortedStableFunc(slices.Values(s.roots), func(a, b root) int { return len(a.path) - len(b.path) }) {
		s.show(mount.Writable, r.path)
		for _, path := range r.readonly {
			if s.inRoot(path) && disk.MayExist(path) { // one that a session hides for a moment cannot be mounted
				s.show(mount.Readonly, path) // also a link, which stays where it is
			}
		}
	}
	if !disk.MayExist(s.source(s.Start)) {
		s.add(mount.Empty, "", s.Start)
	}
	s.protect()
	s.codexHome()
	s.hide(s.Policy.Hidden...)
	for at, to := range s.Sockets { // the session has its own /tmp and /run
		s.add(mount.Writable, to, at)
	}
	s.runtime()
	s.pinNames()
}

// all is the kind of paths without a rule of their own.
func (s *Scene) all() mount.Kind {
	if s.Policy.HasHome() {
		return mount.Writable
	}
	return mount.Readonly
}

// base shows the disk without the places of users, of other disks and of services. The helper mounts the session's own /proc over the one
// made here.
func (s *Scene) base() {
	s.rules = map[string]mount.Mount{}
	s.show(s.all(), "/")
	s.show(mount.Readonly, "/sys") // root owns files there that reach out of any sandbox
	s.cover("/sys/fs/cgroup")      // names what runs outside
	if !s.Policy.HasHome() {
		for _, path := range slices.Concat(s.disk.Users, s.disk.homes) {
			if s.source(path) != "" { // else it lies in another one of these, which may be of the network, and hang
				s.cover(disk.Resolve(path))
			}
		}
		s.add(mount.Empty, "", "/var/tmp")
	}
	s.devices()
	s.add(mount.Processes, "", "/proc")
	s.add(mount.Empty, "", "/tmp")
	s.add(mount.Empty, "", "/run")
}

// Disk is what sessions have of the disk outside of the home: the system's directories, in which none can write.
type Disk struct {
	Users []string // other directories: these are given as the home is
	homes []string // of all users, and where disks come and go: these are not
}

// ReadDisk looks at the disk, and at the homes of all users.
func ReadDisk() (d Disk, err error) {
	passwd, err := os.ReadFile("/etc/passwd")
	if disk.Ignore(err, fs.ErrNotExist) != nil {
		return d, err
	}
	d.homes = append(mount.Homes(string(passwd)), "/home", "/root", "/mnt", "/media", "/srv", "/var/mail", "/var/spool")
	users, err := mount.OfUsers()
	d.Users = slices.DeleteFunc(users, func(path string) bool { return isIn(path, d.homes) })
	return d, err
}

// Has reports whether sessions have a path, whatever they are given.
func (d Disk) Has(path string) bool {
	s := Scene{disk: d}
	s.base()
	return s.source(path) == path
}

// devices shows a small /dev: what every program expects, and terminals of the session's own.
func (s *Scene) devices() {
	s.add(mount.Empty, "", "/dev")
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		s.show(mount.Device, "/dev/"+name)
	}
	for name, to := range map[string]string{
		"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2",
		"core": "/proc/kcore", "ptmx": "pts/ptmx",
	} {
		s.add(mount.Link, to, "/dev/"+name)
	}
	s.add(mount.Empty, "", "/dev/shm")
	s.add(mount.Terminals, "", "/dev/pts")
}

// homes shows the account's own home, and over it the given entries of the user's.
func (s *Scene) homes() {
	if s.Policy.HasHome() {
		s.also(mount.Writable, s.Home)
	} else {
		s.hide(s.Home)
		s.add(mount.Writable, s.OwnHome, s.Home)
	}
	for at, to := range s.Given {
		if !s.inRoot(at) {
			s.add(mount.Readonly, to, at)
		}
	}
	for _, tree := range append(s.Policy.Roots(s.Workspace), s.Workspace) {
		if !config.Within(s.Home, tree) {
			s.also(s.all(), tree)
		}
		if to := s.repository(tree); to != "" {
			s.also(s.all(), to)
		}
	}
	s.hide(s.Root, s.SharedHome, disk.Resolve(filepath.Join(s.Home, ".swop")), disk.Resolve(filepath.Join(s.Home, ".codex")))
	for _, link := range through("", s.Request.Places.Home, s.Request.Places.Root, s.Codex) { // as programs are told
		if disk.At(link).IsLink() && s.source(link) != link {
			s.add(mount.Link, disk.Resolve(link), link)
		}
	}
	for _, path := range s.Visible {
		s.also(mount.Readonly, path)
	}
}

func (s *Scene) inRoot(path string) bool {
	return slices.ContainsFunc(s.roots, func(r root) bool { return config.Within(path, r.path) })
}

// also shows a path of the host that no rule shows yet.
func (s *Scene) also(k mount.Kind, path string) {
	if s.source(path) != path {
		s.show(k, path)
	}
}

// protect shows swop's programs and files read-only, and the links to them: they decide about later sessions.
func (s *Scene) protect() {
	for _, path := range s.Programs {
		if path != "" && !config.Within(path, s.Root) {
			s.show(mount.Readonly, path)
		}
	}
	for _, path := range s.Own {
		if s.rule(path).Kind == mount.Writable && s.source(path) == path && disk.MayExist(path) {
			s.show(mount.Readonly, path)
		}
	}
}

// codexHome shows the account's codex home, with links to the shared entries.
func (s *Scene) codexHome() {
	own := filepath.Join(s.OwnHome, ".codex")
	if s.Policy.HasHome() {
		s.show(mount.Writable, own)
	} else {
		s.add(mount.Link, s.Home, s.OwnHome)
		own = filepath.Join(s.Home, ".codex")
	}
	if s.CredentialsOnly { // the servers are the user's, and nothing is there that a session has written but the file that codex changes
		s.add(mount.Empty, "", s.Home)
		s.add(mount.Writable, filepath.Join(s.OwnHome, ".codex", credentials), filepath.Join(own, credentials))
		s.add(mount.Readonly, cmp.Or(s.SharedConfig, os.DevNull), filepath.Join(own, configFile))
	}
	for name, to := range s.Shared {
		s.add(mount.Link, filepath.Join(SharedDir, name), filepath.Join(own, name)) // the account's own entry of this name stays
		s.add(mount.Readonly, to, filepath.Join(SharedDir, name))
	}
}

// pinNames lets the session move no path that has a rule: a later session would find another file there. It binds the directories above
// onto themselves, up to the one whose rule makes them writable: a mount point cannot be moved.
func (s *Scene) pinNames() {
	for _, m := range s.sorted("/") {
		path := filepath.Dir(m.Target)
		for r := s.rule(path); r.Kind == mount.Writable && r.Source == r.Target && path != r.Target; path = filepath.Dir(path) {
			if disk.MayExist(path) {
				s.show(mount.Writable, path)
			}
		}
	}
}

func (s *Scene) runtime() {
	s.add(mount.Readonly, s.Runtime, desk.RuntimeDir)
	s.add(mount.Composed, "", programsDir)
	s.add(mount.Readonly, s.Helper, HelperPath)
	for _, path := range append(Real(systemBubblewrap), filepath.Join(sandboxDir, bubblewrapName)) { // a link codex would follow
		s.add(mount.Readonly, s.Helper, path)
	}
	s.add(mount.Empty, "", "/run/user/"+strconv.Itoa(os.Geteuid()))
}

// root is a directory that is writable, except for some paths in it.
type root struct {
	path     string
	readonly []string // paths in it that cannot be written, where they exist
	more     bool     // it has more directories than were searched for .git and .codex
}

// findRoots finds the policy's writable directories. It makes an empty .codex in each that has none, to be covered: later sessions obey
// what is in one.
func (s *Scene) findRoots() {
	for _, path := range s.Policy.Roots(s.Workspace) {
		err := inDir(path, func(fd int) error { return unix.Mkdirat(fd, ".codex", 0o755) })
		r := s.rootAt(path, s.Policy.Git == config.GitWrite)
		if disk.Ignore(err, fs.ErrExist, unix.ENOTDIR) != nil { // a session that owns the directory could change its mode, and make one
			r.readonly = append(r.readonly, path)
		}
		s.roots = append(s.roots, r)
		if to := s.repository(path); to != "" && s.Policy.Git == config.GitWrite {
			s.roots = append(s.roots, s.rootAt(to, true))
		}
	}
}

// inDir calls do with a descriptor of a directory, through no link that a running session has put on the way there.
func inDir(path string, do func(fd int) error) error {
	how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, path, how)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return do(fd)
}

// rootAt returns a writable path. In it each .codex, the paths in readonly, and each .git unless that is given, cannot be written.
func (s *Scene) rootAt(path string, git bool) root {
	ofGit, readonly, more := obeyed(path)
	if !git {
		readonly = append(readonly, ofGit...)
	}
	for _, name := range s.Policy.Readonly {
		readonly = append(readonly, through(path, filepath.Join(path, name))...)
	}
	names := 0
	for _, at := range readonly {
		names += strings.Count(strings.TrimPrefix(at, path), "/")
	}
	if names > mostCovered || !git && (inGit(path) || isRepository(path, disk.MayExist)) {
		readonly = []string{path}
	}
	return root{path, readonly, more}
}

// repository returns the directory of the repository that a work tree belongs to where that lies elsewhere, "" for none, and for one that
// a session can have made: each .git that was there is read-only.
func (s *Scene) repository(tree string) string {
	to := linked(tree)
	if to != "" && !config.Within(to, tree) && s.forbidden(to) == "" && (inGit(to) || !isIn(to, account.Written(s.Home))) {
		return to
	}
	return ""
}

// forbidden says why a path can be no writable root, "" if it can.
func (s *Scene) forbidden(path string) string {
	return Forbidden(path, s.Home, slices.Concat(s.Own, s.Programs), s.disk.Has)
}
