package confine

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/account"
	"swop/internal/bridge"
	"swop/internal/confine/desk"
	"swop/internal/confine/filter"
	"swop/internal/confine/mount"
	"swop/internal/confine/proxy"
	"swop/internal/disk"
	"swop/internal/say"
)

// Request describes the confined session to make.
type Request struct {
	account.Account
	Places     config.Places
	SharedHome string // the codex home that unconfined accounts share
	Policy     Policy
	// CredentialsOnly shows of the account's home the logins to MCP servers alone, without what codex runs or obeys in it.
	CredentialsOnly bool
	Resumed         string // the ID of the session that codex goes on with, "" for none or one that is not known

	Dir      string     // the directory that codex will work in, with links resolved
	Named    string     // the same, as the user names it
	Start    string     // the directory that it is started in: an empty one if the session sees nothing else there
	Env      config.Env // of codex outside of a session
	Codex    string     // the program that runs
	Helper   string     // codex-swop, beside the other program of swop: it is shown at [HelperPath]
	Visible  []string   // more paths that codex reads
	Ports    []int      // of this machine that the session reaches, beside those of the policy
	Tokens   []string   // the files of all bridges' tokens
	AuthFile []byte     // the stand-in for a bridged login, nil for the login itself

	AtEnd func(do func() error) // lets something be done when the session has ended, or does not begin, the last one first
	Now   func() time.Time
	Asked func(desk.Question) // tells the user of a question
	Tell  func(string)        // prints a line to the user
}

// Jail is what holds one confined session, from its preparation to its end.
type Jail struct {
	scene     Scene
	dir       bridge.Directory // of the session alone
	codexHome *os.File         // of the account
	desk      *desk.Desk
	now       *mount.Launch // nil until it is begun
	noted     atomic.Int32  // events that a program inside caused
	tell      []string      // lines for the user, when it is prepared
}

// Prepare makes what a session needs. Its errors are a [*Violation], a [*Unavailable], or of the file system.
func Prepare(r Request) (*Jail, error) {
	j := &Jail{scene: Scene{Request: r, Places: r.Places}}
	if err := j.prepare(); err != nil {
		kind := desk.Refused
		of, is := errors.AsType[*Unavailable](err)
		if is && !of.Shortage && r.Policy.Fallback == config.FallbackPassthrough { // it runs unconfined
			kind = desk.FellBack
		}
		j.note(kind, desk.Ask{}, err.Error())
		return nil, err
	}
	j.note(desk.Begun, desk.Ask{}, "")
	return j, nil
}

func (j *Jail) prepare() (err error) {
	r := j.scene.Request
	if r.Policy.Fallback == config.FallbackPassthrough { // what goes wrong later may be the work of a session
		if err := Check(); err != nil {
			return err
		}
	}
	if r.Policy.Network.Host && !filter.HasScopes() {
		return &Unavailable{Reason: `network = "host" needs Landlock's scopes: Linux 6.12`}
	}
	if j.now, err = mount.Begin(r.Helper, r.Env, !r.Policy.Network.Host); err != nil {
		return err
	}
	r.AtEnd(j.now.Close)
	if err := disk.MakeDirs(r.Places.Config); err != nil { // one that is missing could be made inside
		return err
	}
	others, err := withoutOthers(r.Places) // which would change what this one may be given
	if err != nil {
		return err
	}
	if err = j.describe(); err == nil {
		err = j.make()
	}
	others.Release() // before a terminal that is stopped can keep this one waiting
	for _, line := range j.tell {
		r.Tell(line)
	}
	return err
}

// describe fills in the scene. It makes no file.
func (j *Jail) describe() error {
	r, c := j.scene.Request, &j.scene
	var err error
	c.OwnHome = r.Home()
	codex := r.Codex
	for _, at := range []*string{&c.Home, &c.OwnHome, &c.SharedHome, &c.Root, &c.Helper, &codex} {
		if *at, err = filepath.EvalSymlinks(*at); err != nil {
			return err
		}
	}
	if c.disk, err = ReadDisk(); err != nil {
		return err
	}
	if before, _, isNpm := strings.Cut(codex, "/node_modules/@openai/"); isNpm { // with its package
		codex = before + "/node_modules/@openai"
	}
	dir := filepath.Dir(c.Helper)
	c.Programs = append(Real(filepath.Join(dir, "codex")), c.Helper, codex)
	if c.Policy.HasHome() {
		c.Programs = []string{dir, codex} // nothing is put beside them
	}
	c.Own = append(Own(r.Places, r.SharedHome), through("", r.Codex)...)
	if c.Workspace, err = WorkspaceOf(r.Dir, c.Home); err != nil {
		return err
	}
	if len(c.Policy.Roots(c.Workspace)) > 0 && c.Workspace != r.Named {
		j.tell = append(j.tell, "this session can write all of "+say.Name(c.Workspace))
	}
	given := r.Policy.Given(r.Places, c.disk, r.Env.Value("PATH"), c.Workspace)
	c.Policy.Writable = nil
	err = r.Policy.Check(c.Workspace, func(path string) string {
		to := given.follow(path)
		switch {
		case to == "":
			return laid
		case path != c.Workspace && disk.At(to).Exists(): // looked up once: another session could change what is on the way
			c.Policy.Writable = append(c.Policy.Writable, to)
		}
		return c.forbidden(to)
	})
	if err != nil {
		return err
	}
	astray := func(link string) bool {
		around, err := WorkspaceOf(filepath.Dir(link), c.Home)
		return given.mayBeLaid(link) && (around != c.Workspace || err != nil)
	}
	if links, to := disk.Links(r.Named); slices.ContainsFunc(links, astray) || to != r.Dir && !disk.SameFile(to, r.Dir) {
		return &Violation{"the workspace", c.Workspace, laid}
	}
	shared := filepath.Join(r.SharedHome, configFile)
	if c.SharedConfig = given.leadsTo(shared); c.SharedConfig == "" && disk.At(shared).Exists() {
		return &Violation{"codex's configuration", shared, "could be written by a session: move it elsewhere"}
	}
	j.tellMissing(r.Policy)
	c.Given, c.Shared = given.To, given.Shared(c.SharedHome)
	c.Policy.Hidden = through("", c.Policy.Hidden...)
	answers, err := desk.AnswersFor(c.Root, r.Key, c.Workspace, r.Resumed)
	if err != nil {
		return err
	}
	j.widen(answers)
	c.Obeyed = slices.AppendSeq(slices.Collect(maps.Values(c.Given)), maps.Values(c.Shared))
	c.Obeyed = slices.DeleteFunc(c.Obeyed, func(path string) bool {
		return isIn(path, given.roots) || config.Within(path, c.Workspace) && !config.Within(c.Home, c.Workspace)
	})
	c.Visible = Real(append(r.Visible, needed...)...)
	c.Sockets, err = given.sockets(c.Policy.Sockets, r.Env)
	return err
}

const laid = "is led to by a link that a session can have made: name what it leads to"

// tellMissing names the paths of hidden, writable and readonly that are missing.
func (j *Jail) tellMissing(p Policy) {
	tell := func(option string, names, dirs []string, why string) {
		for _, name := range names {
			if !slices.ContainsFunc(dirs, func(dir string) bool { return len(Real(filepath.Join(dir, name))) > 0 }) {
				j.tell = append(j.tell, option+" in config.toml names "+say.Name(name)+", which "+why)
			}
		}
	}
	tell("hidden", p.Hidden, []string{"/"}, "is not there")
	tell("writable", p.Writable, []string{"/"}, "is not there")
	if roots := p.Roots(j.scene.Workspace); len(roots) > 0 {
		tell("readonly", p.Readonly, roots, "is in nothing that this session can write")
	}
}

// widen adds stored grants to the scene, except those whose target has gone or become forbidden.
func (j *Jail) widen(answers []desk.Answer) {
	c := &j.scene
	for _, a := range answers {
		real, _ := filepath.EvalSymlinks(a.Target) // "" if it is gone
		switch {
		case a.Kind == desk.KindConnect:
			c.granted = append(c.granted, a.Target)
		case real != a.Target: // gone, or another one
		case a.Kind == desk.KindRead:
			*c = c.with(real, a.Kind)
		case c.Policy.Mode != config.ConfineReadOnly && c.forbidden(real) == "":
			c.roots = append(c.roots, c.rootAt(real, inGit(real)))
		}
	}
}

// needed are files that programs need, and that may lie in /run, or for WSL in /mnt: the resolver's, and NixOS's profiles.
var needed = []string{"/etc/resolv.conf", "/run/opengl-driver", "/run/booted-system", "/run/current-system"}

// Real returns the existing ones of paths, with links resolved.
func Real(paths ...string) []string {
	list := []string{}
	for _, path := range paths {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			list = append(list, real)
		}
	}
	return list
}

// sockets returns the paths of the sockets that a policy names, and the socket that each shows. One that is not there is left out.
func (g *Given) sockets(list []string, env config.Env) (found map[string]string, err error) {
	found = map[string]string{}
	for _, name := range list {
		if name == config.SSHAgent {
			name = env.Value("SSH_AUTH_SOCK")
		}
		if _, err := os.Stat(name); err != nil {
			continue // it is not there
		}
		to, dir := g.follow(name), g.follow(filepath.Dir(name)) // looked up once, as the writable directories
		if dir == "" || disk.At(to).Type() != unix.S_IFSOCK {
			return nil, &Violation{"the socket", name, "is none, or " + laid}
		}
		found[filepath.Join(dir, filepath.Base(name))] = to
	}
	return found, nil
}

// Env returns the environment inside: env without variables that lead outside, and with those that lead to the proxy.
func (j *Jail) Env(env config.Env) config.Env {
	env = env.Without("SWOP_OUTER", "SWOP_CONFINE", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "CODEX_SQLITE_HOME").With("TMPDIR", "/tmp")
	if j.scene.Policy.HasHome() {
		env = env.With("HOME", j.scene.Home)
	}
	if !j.scene.Policy.Network.Host { // programs find the proxy; what listens inside is reached without it
		for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
			env = env.With(name, proxyURL).With(strings.ToLower(name), proxyURL)
		}
		env = env.With("NO_PROXY", noProxy).With("no_proxy", noProxy)
	}
	return env.With("PATH", sandboxDir+":"+env.Value("PATH"))
}

const (
	proxyURL = "http://" + proxy.Address
	noProxy  = "localhost,127.0.0.1,::1"
)

// Arguments returns options of codex to put before its own arguments. They keep codex, from 0.158 on, from starting a server that outlives
// the session, and name the proxy to MCP servers, which get from codex few variables but those of their tables.
func (j *Jail) Arguments() (args []string) {
	args = []string{"-c", "features.daemon_auto_start=false"} // earlier releases ignore it
	tree, _ := config.Parse(j.ownConfig())                    // from an invalid file codex starts no server
	servers, _ := tree["mcp_servers"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		server, _ := servers[name].(map[string]any)
		if server["command"] == nil || strings.ContainsAny(name, `."'=`) || j.scene.Policy.Network.Host {
			continue
		}
		for _, variable := range []string{"HTTP_PROXY=" + proxyURL, "HTTPS_PROXY=" + proxyURL, "NO_PROXY=" + noProxy} {
			args = append(args, "-c", "mcp_servers."+name+".env."+variable)
		}
	}
	return args
}
