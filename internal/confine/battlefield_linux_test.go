package confine_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/store"
	"swop/internal/disk"
	"swop/internal/test/testbuild"
	"swop/internal/test/testhome"
)

// battlefield is a home with two accounts, and what an attack aims at.
type battlefield struct {
	t    *testing.T
	home string
	env  []string
	// for the descriptors 8 and 9
	accounts, login *os.File
	terminal        *os.File // the end of the user
	slave           string
}

// makePrograms returns a directory with swop's programs, and this one as attack, which .ci/nightly brings to a machine without Go.
func makePrograms(t *testing.T) string {
	dir, err := os.MkdirTemp(testhome.ProgramScratch(), "swop-attacks-")
	testhome.NoError(t, err)
	t.Cleanup(func() { testhome.NoError(t, os.RemoveAll(dir)) })
	testhome.NoError(t, testbuild.Programs(dir))
	if attack := filepath.Join(dir, "attack"); !disk.At(attack).Exists() {
		build := exec.Command("go", "test", "-c", "-o", attack, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0") // it runs where no library is
		testhome.NoError(t, build.Run())
	}
	return dir
}

func newBattlefield(t *testing.T, programs, policy string) *battlefield {
	t.Helper()
	base, err := os.MkdirTemp(filepath.Dir(programs), "battle-")
	testhome.NoError(t, err)
	t.Cleanup(func() { _ = exec.Command("chmod", "-R", "u+rwx", base).Run(); testhome.NoError(t, os.RemoveAll(base)) })
	b := &battlefield{t: t, home: filepath.Join(base, "home")}
	fakes, bin := filepath.Join(base, "fake"), filepath.Join(base, "bin")
	testhome.NoError(t, errors.Join(os.MkdirAll(fakes, 0o700), os.MkdirAll(bin, 0o700)))
	for _, name := range []string{"codex", "codex-swop", "attack"} {
		testhome.NoError(t, os.Link(filepath.Join(programs, name), filepath.Join(bin, name)))
	}
	testhome.NoError(t, os.WriteFile(filepath.Join(fakes, "codex"), []byte("#!/bin/sh\nexec sh -c \"$CODEX_FAKE_SH\"\n"), 0o700))
	b.fill()
	b.env = []string{
		"PATH=" + bin + ":" + fakes + ":/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + b.home, "BIN=" + bin, "REAL=" + b.home,
		"SHARED=" + b.home + "/.codex", "CONFIG=" + b.home + "/.config/swop", "OTHER=" + b.account("other") + "/auth.json",
		`SERVE=$s=IO::Socket::UNIX->new(Local=>"apart.sock",Listen=>1); fork and exit; alarm 9; print {$s->accept} "reached"`,
		"SWOP_ALLOW_ROOT=1", "TMPSOCKET=/tmp/" + filepath.Base(base) + ".sock", "ABSTRACT=" + filepath.Base(base),
	}
	b.addAccounts(policy)
	b.listen("unix", b.home+"/agent.sock")
	b.listen("unix", b.home+"/a\nb.sock")
	b.listen("unix", "/tmp/"+filepath.Base(base)+".sock")
	b.listen("unix", "@"+filepath.Base(base))
	b.serve()
	b.shareMemory()
	b.openTerminal()
	b.startVictim()
	b.accounts, err = os.Open(b.home + "/.swop/accounts")
	testhome.NoError(t, err)
	b.login, err = os.Open(b.account("other") + "/auth.json")
	testhome.NoError(t, err)
	t.Cleanup(func() { testhome.NoError(t, errors.Join(b.accounts.Close(), b.login.Close())) })
	return b
}

// addAccounts makes the accounts by hand: swop's programs would take longer for them than for the attack.
func (b *battlefield) addAccounts(policy string) {
	places := config.Places{Home: b.home, Root: filepath.Join(b.home, ".swop"), Config: filepath.Join(b.home, ".config", "swop")}
	accounts := store.Store{Layout: account.Layout{Places: places}}
	for _, label := range []string{"work", "other", "free"} {
		n := store.New{Label: label, State: account.StateShared, SharedHome: filepath.Join(b.home, ".codex"), Now: time.Now()}
		if label == "work" && policy != config.ConfineOff {
			n.State, n.Confine = account.StatePrivate, policy
		}
		_, err := accounts.Create(n)
		testhome.NoError(b.t, err)
		b.put(".swop/accounts/"+label+"/home/.codex/auth.json", `{"OPENAI_API_KEY":"secret-of-`+label+`"}`)
	}
	bound := config.Binding{Path: filepath.Join(b.home, "src", "bound"), Account: "other"}
	testhome.NoError(b.t, config.WriteSelector(places, config.Selector{Account: "work", Directory: []config.Binding{bound}}))
}

// fill makes what the home has beside swop's.
func (b *battlefield) fill() {
	for name, text := range map[string]string{
		".codex/auth.json": `{"OPENAI_API_KEY":"secret-of-shared"}`, ".codex/config.toml": "model = \"x\"\n", ".codex/AGENTS.md": "good\n", ".codex/skills/private/x": "hidden-secret\n",
		".codex/.credentials.json": "secret-of-mcp\n", ".codex/sessions/2026/01/02/rollout-x.jsonl": "said\n",
		".netrc": "machine github.com login x password hosts-secret\n", ".git-credentials": "https://x:hosts-secret@github.com\n",
		".codex-other/auth.json": "hidden-secret\n", "dots/docker.json": "hidden-secret\n",
		".config/gh/hosts.yml": "github.com:\n  oauth_token: hosts-secret\n", ".config/git/credentials": "https://x:hosts-secret@github.com\n",
		"locked/box/file": "hidden-secret\n", "deep/x": "", "deep/tokens/tracker": "hidden-secret\n", "plain/x": "", "src/bound/x": "", "project/conf/in/file": "hidden-secret\n",
		"linked/store/git/HEAD": "ref: refs/heads/main\n", "linked/cdx/x": "", "project/.git/HEAD": "ref: refs/heads/main\n", "project/.git/refs/x": "", "project/.git/objects/x": "",
		"project/.git/worktrees/tree/gitdir": b.home + "/project/trees/tree/.git\n", "project/.git/worktrees/tree/commondir": "../..\n", "project/.git/worktrees/tree/HEAD": "x\n",
		"project/trees/tree/.git": "gitdir: " + b.home + "/project/.git/worktrees/tree\n", "project/ext/.git": "gitdir: ../.git/modules/ext\n",
		"project/.git/modules/ext/HEAD": "x\n", "project/.git/modules/ext/refs/x": "", "project/.git/modules/ext/objects/x": "", "project/.git/modules/ext/config": "[core]\n\tworktree = ../../../ext\n",
		"claims/.git": "gitdir: " + b.home + "/project/.git/modules/ext\n",
		".bashrc":     "good\n", ".hidden/file": "hidden-secret\n", ".hidden-file": "hidden-secret\n",
		"project/.git/config": "[core]\n", "project/vendor/.codex/config.toml": "good = 1\n", "project/vendor/lib/.git/config": "[core]\n", "deep/src/host/org/repo/.git/config": "[core]\n",
		"project/.git/hooks/sample": "", "project/.env": "good\n",
		".config/swop/config.toml": "[confinement]\nshown = [\"" + filepath.Dir(b.home) + "/bin/attack\"]\nhidden = [\"~/.hidden\", \"~/.hidden-file\"]\nreadonly = [\".env\"]\n",
	} {
		b.put(name, text)
	}
	testhome.NoError(b.t, os.Symlink("dots/docker.json", filepath.Join(b.home, ".dockercfg")))
	testhome.NoError(b.t, os.Symlink("/tmp", filepath.Join(b.home, ".zfunc")))
	testhome.NoError(b.t, os.Symlink("conf/in/file", filepath.Join(b.home, "project", "led")))
	for name, to := range map[string]string{"way": "store", ".git": "way/git", ".codex": "cdx"} {
		testhome.NoError(b.t, os.Symlink(to, filepath.Join(b.home, "linked", name)))
	}
	testhome.NoError(b.t, os.Chmod(filepath.Join(b.home, "locked"), 0o500))
}

func (b *battlefield) put(name, text string) {
	testhome.PutFile(b.t, filepath.Join(b.home, name), text)
}

func (b *battlefield) account(label string) string {
	return filepath.Join(b.home, ".swop", "accounts", label, "home", ".codex")
}

func (b *battlefield) listen(network, address string) {
	b.t.Helper()
	l, err := net.Listen(network, address)
	testhome.NoError(b.t, err)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "reached\n") // the other end sees what is missing
			_ = conn.Close()
		}
	}()
	b.t.Cleanup(func() { _ = l.Close() }) // an attack may have removed it
}

// shareMemory makes memory that any process in the same namespace of IPC finds.
func (b *battlefield) shareMemory() {
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, os.Getpagesize(), unix.IPC_CREAT|0o600)
	testhome.NoError(b.t, err)
	b.t.Cleanup(func() {
		_, err := unix.SysvShmCtl(id, unix.IPC_RMID, nil)
		testhome.NoError(b.t, err)
	})
	b.env = append(b.env, "SHM="+strconv.Itoa(id))
}

// serve serves a port of this machine.
func (b *battlefield) serve() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "reached\n") }))
	b.t.Cleanup(server.Close)
	b.env = append(b.env, "PORT="+strconv.Itoa(server.Listener.Addr().(*net.TCPAddr).Port))
}

// openTerminal opens a terminal outside.
func (b *battlefield) openTerminal() {
	master, slave := testhome.OpenTerminal(b.t)
	testhome.NoError(b.t, slave.Close())
	b.terminal, b.slave = master, slave.Name()
	b.env = append(b.env, "TTY="+b.slave)
}

// startVictim starts a program outside that the attacks aim at.
func (b *battlefield) startVictim() {
	victim := exec.Command("sleep", "1000")
	victim.Dir, victim.Env = "/", []string{}
	testhome.NoError(b.t, victim.Start())
	b.env = append(b.env, "VICTIM="+strconv.Itoa(victim.Process.Pid))
	b.t.Cleanup(func() { _ = victim.Process.Kill(); _ = victim.Wait() }) // an attack may have ended it
}

// in lets a command run in the battlefield.
func (b *battlefield) in(cmd *exec.Cmd) *exec.Cmd {
	cmd.Dir, cmd.Env = filepath.Join(b.home, "project"), append(b.env, cmd.Env...)
	if cmd.Args[0] == "codex" { // not the fake that is on the tests' own PATH
		cmd.Path, cmd.Err = filepath.Join(filepath.Dir(b.home), "bin", "codex"), nil
	}
	return cmd
}

// succeeds runs the attack under the policy.
func (b *battlefield) succeeds(a attack, policy string) bool {
	b.t.Helper()
	if a.config != "" {
		b.put(".config/swop/config.toml", testhome.TextOf(filepath.Join(b.home, ".config/swop/config.toml"))+a.config)
	}
	cmd := b.in(exec.Command("codex", "exec"))
	if a.dir != "" {
		cmd.Dir = filepath.Join(b.home, a.dir)
	}
	runs, ended := context.WithCancel(b.t.Context())
	var acts sync.WaitGroup
	if a.during != "" {
		acts.Go(func() { b.act(runs, cmd.Dir, a) })
	}
	label := "work"
	if policy == config.ConfineOff {
		label = "free"
	}
	cmd.Env = append(cmd.Env, "SWOP_ACCOUNT="+label, "CODEX_FAKE_SH=command -v attack >/dev/null && echo the attack begins; "+a.script)
	if a.job {
		cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", `trap 'touch "$REAL/signalled"' URG; codex exec; exit $?`}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
	if a.stdin == "tcp" {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		testhome.NoError(b.t, err)
		socket := os.NewFile(uintptr(fd), a.stdin)
		defer socket.Close()
		cmd.Stdin = socket
	} else if a.stdin != "" {
		outer := "{ echo codex exec; sleep 0.5; } | sh"
		if a.stdin == "<" {
			outer = "echo codex exec >script; sh <script"
		}
		cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", outer}
	}
	if a.mounts != "" {
		shim := cmd.Path
		cmd.Path, cmd.Args = "/usr/bin/unshare", []string{"unshare", "-m", "sh", "-ec", a.mounts + "\nexec \"$0\" exec", shim}
	}
	cmd.ExtraFiles = []*os.File{nil, nil, nil, nil, nil, b.accounts, b.login} // 8 and 9
	out, err := cmd.CombinedOutput()
	ended()
	acts.Wait()
	succeeds := err == nil
	if !strings.Contains(string(out), "the attack begins\n") {
		b.t.Fatalf("under %s nothing was tried: %v\n%s", policy, err, out)
	}
	if succeeds && a.outside != "" {
		succeeds = b.in(exec.Command("sh", "-c", a.outside)).Run() == nil
	}
	if policy == config.ConfineOff && !succeeds {
		b.t.Logf("unconfined: %v\n%s", err, out)
	}
	return succeeds
}

// act runs what happens outside once the attack's script in dir waits for it, if it gets that far while it runs.
func (b *battlefield) act(runs context.Context, dir string, a attack) {
	for !disk.At(filepath.Join(dir, "up")).Exists() {
		if runs.Err() != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	cmd := b.in(exec.Command("sh", "-ec", a.during))
	cmd.Dir = b.home
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Errorf("outside: %v\n%s", err, out)
	}
	_ = os.WriteFile(filepath.Join(dir, "go"), nil, 0o600) // else the test does not end
}
