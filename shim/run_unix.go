//go:build unix

package shim

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/config/file"
	"swop/manager/account"
	"swop/manager/disk"
	"swop/manager/login"
	"swop/say"
)

// Process is what a process is given: only the two mains read it from the process's globals.
type Process struct {
	Args       []string
	Env        config.Env
	Executable func() (string, error) // the path of the running program; asked where its identity does not do
	Stderr     io.Writer
	Now        time.Time

	whole bool   // this is codex-swop, not the shim itself
	found bool   // the shim has found the account
	watch Watch  // nil for nobody
	dir   string // the working directory, once it was asked for
}

// Run is a call of codex by the shim. It does itself what takes no doing, the steady state, and leaves all else, every defect too, to
// codex-swop beside it, which is the same process then: see [RunWhole]. It returns the exit status only where the real codex did not
// start in its place.
func Run(p Process) int {
	if len(p.Args) > 1 && p.Args[1] == "swop" {
		return p.end(p.execSibling("codex-swop", p.Args[2:]...))
	}
	s, ok := p.steady()
	if ok {
		_ = p.exec(s.program, s.env, s.settings) // why it could not is said by codex-swop, which finds the same
		s.lock.Release()
	}
	argv0 := Handover
	if s.found {
		argv0 = HandoverFound
	}
	err := p.execSibling(argv0, p.Args...)
	if errors.Is(err, fs.ErrNotExist) && p.execdByShim() {
		err = p.passOn()
	}
	return p.end(err)
}

// Handover is argv[0] of a codex-swop that goes on with a call of codex; the arguments of codex follow, its own argv[0] first. It is no
// verb, so that nobody types it. With HandoverFound the shim has seen the account that the call is for, and waited for its lock: if it is
// gone now, it is not made anew.
const (
	Handover      = "codex-swop: call"
	HandoverFound = "codex-swop: call, found"
)

// RunWhole is a call of codex by codex-swop, which knows all that can be in the way; argv0 is one of the two. p.Executable is the shim's
// path.
func RunWhole(p Process, argv0 string, watch Watch) int {
	p.whole, p.found, p.watch = true, argv0 == HandoverFound, watch
	err := disk.CheckDescriptors()
	if err == nil {
		err = p.run()
	}
	return p.end(err)
}

// end says why the real codex did not start, and returns the exit status.
func (p *Process) end(err error) int {
	var ended exited
	if errors.As(err, &ended) {
		return int(ended)
	}
	say.Error(p.Stderr, err)
	return status(err)
}

func (p *Process) run() error {
	if len(p.Args) == 0 {
		return errors.New("started without an argument vector")
	}
	if p.Env.Value("SWOP_BYPASS") == "1" {
		return p.pass(FindCaller(p.Env), config.Settings{})
	}
	scene, err := Look(p.Env)
	if err != nil {
		return err
	}
	settings, err := file.ReadSettings(scene.Places)
	if err != nil {
		return scene.blame(err)
	}
	if name, _ := subcommand(p.Args); name == "update" {
		settings.Launch = config.LaunchAsInstalled // what is updated is the installation
		return p.pass(scene.Caller, settings)
	}
	choice, err := scene.Choose()
	if err != nil {
		return err
	}
	switch {
	case choice.Label == "" && p.found:
		return errors.New("the account that was chosen is gone: it was removed a moment ago")
	case choice.Label == "":
		return p.pass(scene.Caller, settings)
	}
	return p.runAs(scene, choice.Label, settings)
}

// pass execs the real codex as if we were not there.
func (p *Process) pass(c Caller, settings config.Settings) error {
	program, g, err := p.program(c, settings, "")
	if err != nil {
		return err
	}
	return p.exec(program, c.Env.With(guardVariable, g.String()), settings)
}

// runAs execs the real codex under an account.
func (p *Process) runAs(scene Invocation, label string, settings config.Settings) error {
	key, err := config.Key(label)
	if err != nil {
		return err
	}
	program, g, err := p.program(scene.Caller, settings, key)
	if err != nil {
		return err
	}
	scene.Found = p.found
	ready, err := p.prepare(scene, label, settings)
	if errors.Is(err, unix.EROFS) || errors.Is(err, unix.ENOSPC) || errors.Is(err, fs.ErrPermission) {
		err = say.WithHint(err, "codex without an account still runs: SWOP_BYPASS=1 codex")
	}
	if err != nil {
		return err
	}
	switch {
	case ChangesLogin(p.Args):
		err = p.stopServer(key)
	case !keepsLogin(p.Args):
		err = login.CheckConfig(ready.Account, p.codexCall(&ready))
	}
	if err != nil {
		return err
	}
	return p.exec(program, scene.environment(&ready, &g), settings)
}

func (p *Process) prepare(scene Invocation, label string, settings config.Settings) (Prepared, error) {
	making := PrepareOptions{NoProcesses: p.silent, Stderr: p.Stderr, Now: p.Now}
	if p.watch != nil {
		defer p.watch(label, &making)()
	}
	return scene.Prepare(label, settings, making)
}

// program finds the real codex, and the guard of what is exec'd now.
func (p *Process) program(c Caller, settings config.Settings, key string) (Program, guard, error) {
	self, err := p.self()
	if err != nil {
		return Program{}, guard{}, err
	}
	g, _ := parseGuard(p.Env)
	g = g.next(os.Getpid(), bootTicks(), callHash(p.Args[1:], p.workingDir(), key), self, p.execdByShim())
	program, err := find(c, settings, self, g, p.Executable)
	if err != nil {
		return program, g, err
	}
	return program, g.with(program.ID), g.loop(p.Executable, program)
}

// workingDir is "" where the directory was removed, which is codex's to complain about: it has no configuration above it either.
func (p *Process) workingDir() string {
	if p.dir == "" {
		p.dir, _ = getwd()
	}
	return p.dir
}

// find returns the real codex: the one that config.toml names, else the next on PATH, else the one that install --with-codex put
// beside the shim, which is on PATH only in shells that were started since.
func find(c Caller, settings config.Settings, self FileID, g guard, shim func() (string, error)) (Program, error) {
	if settings.Codex != "" {
		program, err := configured(settings.Codex, self)
		if err != nil || !hasID(g.skip(), program.ID) {
			return program, err
		}
	}
	program, err := FindReal(c.Env.Value("PATH"), g.skip(), isWSL(c.Env))
	if !errors.Is(err, ErrNoCodex) {
		return program, err
	}
	path, pathErr := shim()
	if pathErr != nil {
		return program, err
	}
	return FindReal(filepath.Join(filepath.Dir(filepath.Dir(path)), "npm", "bin"), g.skip(), isWSL(c.Env))
}

// execdByShim reports whether this process was a shim before: the one that is meant, while this is a copy of it without its codex-swop.
func (p *Process) execdByShim() bool {
	g, ok := parseGuard(p.Env)
	return ok && g.pid == os.Getpid() && !startedAfter(g.when)
}

// passOn execs the next codex behind this one, with the environment that the shim before gave it.
func (p *Process) passOn() error {
	var settings config.Settings
	if places, ok := config.Locate(p.Env); ok {
		settings, _ = config.FastSettings(places) // the shim before told what is wrong with it
	}
	program, g, err := p.program(Caller{Env: p.Env}, settings, p.Env.Value("SWOP_ACCOUNT"))
	if err != nil {
		return err
	}
	return p.exec(program, p.Env.With(guardVariable, g.String()), settings)
}

// self is the identity of the running program.
func (p *Process) self() (FileID, error) {
	var st unix.Stat_t
	if !p.whole && unix.Stat(ownProgram, &st) == nil {
		return idOf(&st), nil
	}
	path, err := p.Executable()
	if err != nil {
		return FileID{}, err
	}
	if err := unix.Stat(path, &st); err != nil {
		return FileID{}, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	return idOf(&st), nil
}

// FindCodex returns the real codex that a call outside of swop would run; shim is the path of the shim, which need not exist.
func (s Invocation) FindCodex(settings config.Settings, shim string) (Program, error) {
	var g guard
	var st unix.Stat_t
	if err := unix.Stat(shim, &st); err == nil {
		g = g.with(idOf(&st))
	}
	return find(s.Caller, settings, idOf(&st), g, func() (string, error) { return shim, nil })
}

// isWSL tells Windows' Linux from others by the variable that it sets in every process.
func isWSL(env config.Env) bool { return env.Value("WSL_DISTRO_NAME") != "" }

// exec replaces this process. It returns only if that failed.
func (p *Process) exec(program Program, env config.Env, settings config.Settings) error {
	if settings.Launch == config.LaunchNative {
		execNative(program, p.Args, env)
	}
	err := syscall.Exec(program.Path, p.Args, env)
	return &cannotRun{fmt.Errorf("%s: %w", program.Path, err)}
}

// sibling is the path of codex-swop, which lies beside the shim.
func (p *Process) sibling() (string, error) {
	path, err := p.Executable()
	return filepath.Join(filepath.Dir(path), "codex-swop"), err
}

func (p *Process) execSibling(argv0 string, args ...string) error {
	sibling, err := p.sibling()
	if err == nil {
		err = syscall.Exec(sibling, append([]string{argv0}, args...), p.Env)
	}
	err = fmt.Errorf("%s: %w", sibling, err)
	return say.WithHint(&cannotRun{err}, "install swop again: codex and codex-swop belong in one directory")
}

// stopServer lets codex-swop stop the account's background server. What that says is no answer of codex, so it goes to stderr.
func (p *Process) stopServer(key string) error {
	status, err := p.runSibling("stop-server", key)
	if err == nil && status != 0 {
		err = exited(statusFailed)
	}
	return err
}

// silent lets codex-swop look whether any process uses the account: the shim does not link what looks at processes. Where it cannot be
// asked, what waits for the answer waits on, and codex runs.
func (p *Process) silent(acct account.Account) (bool, error) {
	status, err := p.runSibling("silent", acct.Key)
	return err == nil && status == 0, nil
}

// runSibling runs a verb of codex-swop for one account and returns its exit status.
func (p *Process) runSibling(verb, key string) (int, error) {
	sibling, err := p.sibling()
	if err != nil {
		return 0, err
	}
	pid, err := syscall.ForkExec(sibling, []string{"codex-swop", verb, key}, &syscall.ProcAttr{
		Env:   p.Env,
		Files: []uintptr{0, 2, 2},
	})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", sibling, err)
	}
	var ended syscall.WaitStatus
	for {
		if _, err = syscall.Wait4(pid, &ended, 0, nil); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", sibling, err)
	}
	return ended.ExitStatus(), nil
}

// exited is the status of a process that has said already why it failed.
type exited int

func (e exited) Error() string { return fmt.Sprintf("exit status %d", int(e)) }
