package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/manager/account"
	"swop/manager/disk"
	"swop/manager/stamp"
)

// Request is what a confined session is made for.
type Request struct {
	account.Account
	Root     account.Root
	Places   config.Places
	Settings config.Settings
	Policy   Policy

	Dir      string     // the working directory, with links resolved
	Env      config.Env // that codex would have unconfined
	Codex    string     // the program that runs
	Programs []string   // the directories of swop's programs
	Helper   string     // codex-swop
	Visible  []string   // what codex needs to see beside the homes
	Hidden   []string   // what it must not see beside the policy's
}

// Session is a confined session, from its preparation to its end.
type Session struct {
	request   Request
	bwrap     string
	dir       string // of the session alone
	lock      account.Lock
	login     *sharedLogin
	proxy     *Proxy // nil without a list of hosts
	scene     Scene
	configWas map[string]string
}

// Check returns the bwrap that a session would use, or an [*Unavailable] error. What it finds good is remembered.
func Check(places config.Places, env config.Env, codex string) (bwrap string, err error) {
	bwrap, err = findBwrap(env.Value("PATH"), codex)
	if err == nil {
		err = preflight(bwrap, codex, filepath.Join(places.Root, "confine.ok"))
	}
	return bwrap, err
}

// Prepare makes what a confined session needs. Its errors are a [*Violation], an [*Unavailable], or of the file system. End it in any case.
func Prepare(r Request) (s *Session, err error) {
	s = &Session{request: r, lock: account.Lock{Fd: -1}}
	if s.bwrap, err = Check(r.Places, r.Env, r.Codex); err != nil {
		return s, err
	}
	if err := disk.MakeDirs(r.Places.Config); err != nil { // one that is missing could be made inside
		return s, err
	}
	if err := s.describe(); err != nil {
		return s, err
	}
	if _, err := s.scene.mounts(); err != nil { // before anything is made
		return s, err
	}
	if err := s.make(); err != nil {
		return s, err
	}
	if s.login, err = shareLogin(r.CodexHome(), s.scene.View.Dir); err != nil {
		return s, err
	}
	if len(r.Policy.Network.Hosts) > 0 {
		s.proxy, err = s.listen()
	}
	return s, err
}

// listen starts the proxy. Its socket is named by way of its directory's descriptor: a socket's path has 108 bytes at most (unix(7)).
func (s *Session) listen() (*Proxy, error) {
	d, err := disk.Open(s.scene.Runtime, disk.NoFollow)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return NewProxy(fmt.Sprintf("/proc/self/fd/%d/%s", d.Fd(), ProxySocket), s.request.Policy.Network.Hosts)
}

// describe fills in the scene, as far as nothing has to be made for it.
func (s *Session) describe() error {
	r, c := s.request, &s.scene
	c.Policy, c.UID, c.Helper, c.Dir = r.Policy, os.Geteuid(), r.Helper, r.Dir
	_, private := r.Settings.For(r.Key)
	var err error
	real := func(path string) string {
		if err != nil {
			return ""
		}
		path, err = filepath.EvalSymlinks(path)
		return path
	}
	c.Home, c.SandboxHome, c.SharedHome = real(r.Places.Home), real(r.Home()), real(r.Root.SharedHome.Path)
	c.Root, c.Config = real(r.Places.Root), real(r.Places.Config)
	if err != nil {
		return err
	}
	c.Programs = existingReal(r.Programs...)
	c.Protected = append(startupFiles(c.Home, r.Env), codexPackage(r.Codex)...)
	c.Workspace = Workspace(c.Dir, c.Home)
	c.Policy.Writable, c.Policy.Hidden = existingReal(c.Policy.Writable...), existingReal(c.Policy.Hidden...)
	c.Hidden, c.Visible = existingReal(r.Hidden...), append(existingReal(r.Visible...), resolvers()...)
	if c.Policy.Sockets, err = openSockets(c.Policy.Sockets, r.Env); err != nil {
		return err
	}
	if c.Sockets, err = hostSockets(c); err != nil {
		return err
	}
	c.HomeMasks, err = homeMasks(c, r.Home(), private.Home)
	return err
}

// make makes the session's directory, and what it has to cover.
func (s *Session) make() error {
	top := filepath.Join(s.request.Account.Dir, "confined")
	s.scene.Databases = filepath.Join(top, "databases")
	if err := disk.MakeDirs(s.scene.Databases); err != nil {
		return err
	}
	others, err := s.withoutOthers()
	if err != nil {
		return err
	}
	defer others.Release()
	if err := removeDead(top, s.request.CodexHome()); err != nil {
		return err
	}
	if s.dir, err = os.MkdirTemp(top, "session-"); err != nil {
		return err
	}
	if s.lock, err = account.Flock(filepath.Join(s.dir, "lock"), unix.LOCK_EX|unix.LOCK_NB, unix.O_CLOEXEC|unix.O_CREAT); err != nil {
		return err
	}
	view := filepath.Join(s.dir, "view")
	s.scene.Runtime = filepath.Join(s.dir, "runtime")
	for _, dir := range []string{view, s.scene.Runtime} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	if s.scene.View, err = makeView(view, s.request.Account, s.request.Root.SharedHome.Path, s.request.Settings); err != nil {
		return err
	}
	if s.configWas, err = readConfigs(view); err != nil {
		return err
	}
	if err := s.coverAhead(); err != nil {
		return err
	}
	return s.writeInside()
}

// coverAhead makes an empty .codex in the writable roots that have none, so that it can be covered: what is in one is obeyed by later sessions.
func (s *Session) coverAhead() error {
	if s.scene.Policy.Mode != config.ConfineWorkspace {
		return nil
	}
	for i, root := range s.scene.Workspace {
		path, err := s.coverIn(root.Path)
		if err != nil {
			return err
		}
		s.scene.Workspace[i].Readonly = append(root.Readonly, path...)
	}
	for _, path := range s.scene.Policy.Writable {
		if _, err := s.coverIn(path); err != nil { // rootAt finds what it makes
			return err
		}
	}
	return nil
}

// coverIn makes .codex in root, and returns it if it was missing.
func (s *Session) coverIn(root string) (made []string, err error) {
	path := filepath.Join(root, ".codex")
	if exists(path) {
		return nil, nil
	}
	if err := s.noteMade(path); err != nil {
		return nil, err
	}
	err = os.Mkdir(path, 0o755)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS) { // it cannot be made inside either
		return nil, nil
	}
	return []string{path}, err
}

// codexHome is CODEX_HOME inside: where it is unconfined, unless the link there does not lead to the shared one.
func (s *Session) codexHome() string {
	if s.scene.SharedHome == filepath.Join(s.scene.Home, ".codex") {
		return s.request.CodexHome()
	}
	return s.scene.SharedHome
}

func (s *Session) writeInside() error {
	r := s.request
	in := Inside{
		Label: r.Meta.Label, Key: r.Key, Policy: s.scene.Policy, CodexHome: s.codexHome(), Databases: s.scene.Databases,
	}
	if isolation, _ := r.Settings.For(r.Key); isolation == config.IsolateHome {
		in.Home = r.Home()
	}
	text, err := json.MarshalIndent(in, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(s.scene.Runtime, insideFile), append(text, '\n'), 0o600),
		os.WriteFile(filepath.Join(s.scene.Runtime, filepath.Base(HelperPath)), nil, 0o600),
	)
}

// Env returns the environment inside: env without what would lead to something that is not there.
func (s *Session) Env(env config.Env) config.Env {
	env = env.Without("SWOP_OUTER", "SWOP_CONFINE", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR").WithAll(
		config.Variable{Name: "CODEX_HOME", Value: s.codexHome()},
		config.Variable{Name: "CODEX_SQLITE_HOME", Value: s.scene.Databases},
		config.Variable{Name: "TMPDIR", Value: "/tmp"},
	)
	if s.proxy != nil {
		env = withProxy(env, s.request.Policy.Network.Hosts)
	}
	if agent := env.Value("SSH_AUTH_SOCK"); agent != "" && !s.scene.sees(agent) {
		env = env.Without("SSH_AUTH_SOCK")
	}
	return env
}

// withProxy returns env with the variables by which programs find a proxy. What listens inside is reached without it, unless the list has
// this machine itself.
func withProxy(env config.Env, hosts []string) config.Env {
	env = env.Without("ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy")
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		env = env.With(name, "http://"+ProxyAddress)
	}
	for _, host := range hosts {
		if strings.HasPrefix(host, "localhost") || strings.HasPrefix(host, "127.") || strings.HasPrefix(host, "[::1]") {
			return env
		}
	}
	return env.With("NO_PROXY", "localhost,127.0.0.1,::1").With("no_proxy", "localhost,127.0.0.1,::1")
}

func (c *Scene) sees(socket string) bool {
	for _, path := range c.Policy.Sockets {
		if path == socket {
			return true
		}
	}
	return false
}

// Command is a program that is started with more descriptors than the three: the first of Files is 3.
type Command struct {
	Path  string
	Args  []string
	Files []*os.File
}

// Proxied reports whether the session reaches hosts through a proxy: the helper is to pass connections on to it.
func (s *Session) Proxied() bool { return s.proxy != nil }

// Command returns what runs the helper inside, with these arguments. status becomes the helper's descriptor 3. The caller closes the files
// when the program is started.
func (s *Session) Command(status *os.File, args ...string) (c Command, err error) {
	list, err := s.scene.mounts()
	if err != nil {
		return c, err
	}
	program, ok := filter(runtime.GOARCH)
	if !ok {
		return c, unavailable("no filter of system calls is known for %s", runtime.GOARCH)
	}
	c = Command{Path: s.bwrap, Files: []*os.File{status}}
	c.Args = append([]string{"bwrap", "--args", "5", "--seccomp", "4", "--", HelperPath}, args...)
	for _, text := range []string{string(program), nulSeparated(s.scene.bwrapArgs(list))} {
		file, err := memoryFile(text)
		if err != nil {
			return c, err
		}
		c.Files = append(c.Files, file)
	}
	return c, nil
}

// memoryFile returns a file without a name that holds text, at its beginning.
func memoryFile(text string) (*os.File, error) {
	fd, err := unix.MemfdCreate("swop", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	file := os.NewFile(uintptr(fd), "memory")
	if _, err = io.WriteString(file, text); err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	return file, err
}

// End brings back what the session may leave, and removes the rest. It is called once.
func (s *Session) End(say func(string)) error {
	var failed []error
	if s.login != nil {
		failed = append(failed, s.login.stop())
	}
	if s.proxy != nil {
		failed = append(failed, s.proxy.Close())
	}
	if s.dir != "" && s.scene.View.Dir != "" {
		failed = append(failed, s.bringBack(say))
	}
	if s.dir != "" {
		failed = append(failed, s.remove())
	}
	s.lock.Release()
	return errors.Join(failed...)
}

// withoutOthers waits until no other session is made or removed.
func (s *Session) withoutOthers() (account.Lock, error) {
	l := account.Layout{Places: s.request.Places}
	return account.Flock(l.LockFile(".confine"), unix.LOCK_EX, unix.O_CLOEXEC|unix.O_CREAT) // no account's lock: no key begins with a dot
}

// remove removes the session's directory, and those that it made to be covered, unless another session may count on them.
func (s *Session) remove() error {
	others, err := s.withoutOthers()
	if err != nil {
		return err
	}
	defer others.Release()
	err = removeSession(s.dir)
	l := account.Layout{Places: s.request.Places}
	if !othersIn(l) {
		err = errors.Join(err, s.uncover())
	}
	return err
}

// madeFile lists the directories that were made to be covered, quoted, a line each.
func (s *Session) madeFile() string { return filepath.Join(s.request.Places.Root, "confine.made") }

// noteMade adds a directory to the list.
func (s *Session) noteMade(dir string) error {
	f, err := os.OpenFile(s.madeFile(), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, strconv.Quote(dir))
	return errors.Join(err, f.Close())
}

// uncover removes the directories of the list, also those of sessions whose supervisor was killed. One that is not empty has got something
// from outside, and stays.
func (s *Session) uncover() error {
	text, err := os.ReadFile(s.madeFile())
	if err != nil {
		return disk.Ignore(err, fs.ErrNotExist)
	}
	for line := range strings.Lines(string(text)) {
		if dir, err := strconv.Unquote(strings.TrimSuffix(line, "\n")); err == nil && filepath.Base(dir) == ".codex" {
			_ = os.Remove(dir)
		}
	}
	return os.Remove(s.madeFile())
}

// removeDead removes the directories of sessions whose supervisor was killed, and all that ran in them with it. A login that was refreshed a
// moment before is brought back: the newer one counts.
func removeDead(top, own string) error {
	entries, err := os.ReadDir(top)
	for _, entry := range entries {
		dir := filepath.Join(top, entry.Name())
		if !strings.HasPrefix(entry.Name(), "session-") {
			continue
		}
		l, lockErr := account.Flock(filepath.Join(dir, "lock"), unix.LOCK_EX|unix.LOCK_NB, unix.O_CLOEXEC)
		if errors.Is(lockErr, account.ErrInUse) {
			continue
		}
		err = errors.Join(err, rescueLogin(own, filepath.Join(dir, "view")), removeSession(dir))
		l.Release()
	}
	return err
}

// othersIn reports whether a session of any account has a directory.
func othersIn(l account.Layout) bool {
	accounts, _ := names(l.AccountsDir()) // what cannot be read has no session
	for _, key := range accounts {
		sessions, _ := names(filepath.Join(l.AccountDir(key), "confined")) // most accounts have none
		for _, name := range sessions {
			if strings.HasPrefix(name, "session-") {
				return true
			}
		}
	}
	return false
}

func removeSession(dir string) error {
	d, err := disk.Open(filepath.Dir(dir), disk.NoFollow)
	if err != nil {
		return err
	}
	return errors.Join(disk.RemoveAll(d, filepath.Base(dir)), d.Close())
}

func realOr(path, otherwise string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return otherwise
}

// existingReal returns those of paths that exist, with links resolved.
func existingReal(paths ...string) []string {
	list := []string{}
	for _, path := range paths {
		if real := realOr(path, ""); real != "" {
			list = append(list, real)
		}
	}
	return list
}

// resolvers are the directories in /run, which is private, that host names and programs are found by.
func resolvers() (list []string) {
	if file := realOr("/etc/resolv.conf", ""); config.Within(file, "/run") {
		list = append(list, filepath.Dir(file))
	}
	return append(list, existing("/run", "opengl-driver", "booted-system")...)
}

// startupFiles returns those files that login shells, sessions and services read, and that exist.
func startupFiles(home string, env config.Env) []string {
	dirs := existing(home, ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshenv", ".zprofile", ".zshrc", ".zlogin",
		".zlogout", ".kshrc", ".xprofile", ".xsession", ".xinitrc", ".pam_environment")
	dirs = append(dirs, existing(filepath.Join(home, ".config"), "fish", "autostart", "systemd", "environment.d")...)
	dirs = append(dirs, existing(filepath.Join(home, ".ssh"), "rc", "authorized_keys", "config")...)
	if zsh := env.Value("ZDOTDIR"); filepath.IsAbs(zsh) {
		dirs = append(dirs, existing(zsh, ".zshenv", ".zprofile", ".zshrc", ".zlogin")...)
	}
	return existingReal(dirs...)
}

// codexPackage returns the directory of the package that the program belongs to.
func codexPackage(codex string) []string {
	file := realOr(codex, codex)
	if before, _, ok := strings.Cut(file, "/node_modules/@openai/"); ok {
		return existingReal(filepath.Join(before, "node_modules", "@openai"))
	}
	return existingReal(file)
}

// homeMasks returns what HOME inside has for the entries that are not shared: the account's own, or nothing.
func homeMasks(c *Scene, own string, private []string) (masks []HomeMask, err error) {
	if len(private) == 0 {
		return nil, nil
	}
	list, err := names(c.Home)
	for _, name := range list {
		if !matchesAny(private, name) || name == ".codex" {
			continue
		}
		m := HomeMask{Name: name, Dir: isDir(filepath.Join(c.Home, name))}
		if info, err := os.Lstat(filepath.Join(own, name)); err == nil && info.IsDir() == m.Dir && info.Mode()&fs.ModeSymlink == 0 {
			m.Source = filepath.Join(own, name)
		}
		masks = append(masks, m)
	}
	return masks, err
}

func matchesAny(patterns []string, name string) bool {
	for _, pattern := range patterns {
		if stamp.Matches(pattern, name) {
			return true
		}
	}
	return false
}
