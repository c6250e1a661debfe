//go:build linux

package e2e

import (
	"fmt"
	"net"
	"os"
	osuser "os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"swop/account/rpc"
	"swop/e2e/realcodex"
	"swop/e2e/responses"
	"swop/internal/testhome"
)

// sshd starts OpenSSH's server on loopback, whose sessions have this home and PATH. The user's ssh knows it as build1 and build2 from then on.
func (m members) sshd(home, path string, options ...string) {
	m.t.Helper()
	me, err := osuser.Current()
	testhome.NoError(m.t, err)
	m.sshdFor(me.Username, "", home, path, options...)
}

// sshdFor is sshd for sessions of this user. It has mounts of its own, which the script begin makes, unless that is empty.
func (m members) sshdFor(user, begin, home, path string, options ...string) {
	m.t.Helper()
	testhome.Needs(m.t, "sshd", "ssh")
	dir, err := os.MkdirTemp(m.home, "ssh-")
	testhome.NoError(m.t, err)
	for _, key := range []string{"host", "id"} {
		m.ok(m.command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, key)))
	}
	authorized := testhome.PutFile(m.t, filepath.Join(home, "authorized"), testhome.TextOf(filepath.Join(dir, "id.pub")))
	testhome.NoError(m.t, os.Chmod(authorized, 0o644)) // sshd reads it as the user
	if os.Geteuid() == 0 {
		testhome.NoError(m.t, os.MkdirAll("/run/sshd", 0o755)) // which a service makes
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	testhome.NoError(m.t, err)
	_, port, err := net.SplitHostPort(l.Addr().String())
	testhome.NoError(m.t, err)
	testhome.NoError(m.t, l.Close())
	lines := append([]string{
		"Port " + port, "ListenAddress 127.0.0.1", "HostKey " + filepath.Join(dir, "host"), "AuthorizedKeysFile " + authorized,
		"PidFile none", "UsePAM no", "StrictModes no", "PermitRootLogin yes", "PasswordAuthentication no",
		fmt.Sprintf("SetEnv HOME=%s PATH=%s SHELL=/bin/sh", home, path),
	}, options...)
	m.write(filepath.Join(filepath.Base(dir), "sshd_config"), strings.Join(lines, "\n")+"\n")
	start := []string{"sh", "-ec", begin + "\nexec /usr/sbin/sshd -D -e -f " + filepath.Join(dir, "sshd_config")}
	if begin != "" {
		start = append([]string{"unshare", "--mount", "--propagation", "private"}, start...)
	}
	server := m.start(m.command(start[0], start[1:]...))
	m.t.Cleanup(func() {
		_ = server.Process.Kill() // it may have failed
		if r := m.finish(server); m.t.Failed() {
			m.t.Logf("sshd: %s", r.stderr)
		}
	})
	within(m.t, 5*time.Second, "sshd", func() bool {
		conn, err := net.Dial("tcp4", "127.0.0.1:"+port)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	m.write(filepath.Join(filepath.Base(dir), "config"), fmt.Sprintf("Host build1 build2\nHostName 127.0.0.1\nPort %s\nUser %s\nIdentityFile %s\nStrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nLogLevel ERROR\n",
		port, user, filepath.Join(dir, "id")))
	// ssh takes its configuration from the home in the user database
	m.write("bin/ssh", fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *--carry*) echo $$ >%s ;; esac\nexec /usr/bin/ssh -F %s/config \"$@\"\n", m.carrier(), dir))
}

// carrier is a file with the process of the connection that requests come by.
func (m members) carrier() string { return filepath.Join(m.home, "carrier") }

// path is a PATH with the programs of the trial.
func (tr trial) path() string {
	return strings.Join([]string{tr.programs.swop, tr.programs.real, tr.programs.node, "/usr/bin", "/bin"}, ":")
}

// TestSSH: codex on another machine, by a real sshd on loopback, has the login of this one, which is not there, and leaves nothing.
func TestSSH(t *testing.T) {
	t.Parallel()
	for _, version := range sampled(bridgedReleases, realcodex.Version) {
		t.Run(version, func(t *testing.T) {
			m := newBridgedLogin(t, version, time.Hour)
			m.sayFailure()
			far := members{makeTrial(t, m.release, m.programs, freshHome(t, "home-")), m.openAI}
			far.write(".codex/config.toml", testhome.TextOf(filepath.Join(m.shared(), "config.toml"))+fmt.Sprintf("[projects.%q]\ntrust_level = \"trusted\"\n", far.work))
			m.sshd(far.home, far.path(), "AllowStreamLocalForwarding no", "AllowTcpForwarding no") // nothing is forwarded
			far.ok(far.swop("add", "ssh-1", "--no-login"))                                         // the user's own
			m.env = append(m.env, "PATH="+filepath.Join(m.home, "bin")+":"+m.path())

			r := m.run(m.swop("ssh", "--as", "work", "build1"))
			if r.status != 1 || !strings.Contains(r.stderr, `may not be used on "build1"`) {
				t.Errorf("without a word in config.toml it exits %d: %s", r.status, r.stderr)
			}
			config := testhome.TextOf(filepath.Join(m.home, ".config/swop/config.toml"))
			m.write(".config/swop/config.toml", config+"[accounts.work.remote]\nhosts = [\"build1\"]\nrequests_per_hour = 200\nuntil = \"8h\"\n")
			m.model.Call("pwd; echo $HOME; cat $CODEX_HOME/auth.json; kill $(cat " + m.carrier() + "); echo ends-$((40+2))") // in the middle of the turn
			r = m.ok(m.swop("ssh", "--as", "work", "build1", "--", "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-C", far.work, "who am I there?"))
			m.wantTurn("who am I there?")
			seen := m.turn("ends-42").Output()
			if !strings.Contains(seen, far.work) || strings.Contains(seen, "@example.com") {
				t.Errorf("a command there prints %s", seen)
			}
			m.wantNoSecret(seen + r.stdout + r.stderr)
			for _, secret := range m.openAI.Secrets(1) {
				if testhome.HoldsText(secret, far.home) {
					t.Error("a token is on the other machine")
				}
			}
			if log := testhome.TextOf(filepath.Join(m.root, "log", "bridge.jsonl")); !strings.Contains(log, `"host":"build1"`) {
				t.Errorf("the log does not name the host: %s", log)
			}
			if len(far.rollouts()) != 1 || len(m.rollouts()) != 0 {
				t.Errorf("transcripts there: %q, here: %q", far.rollouts(), m.rollouts())
			}
			if !strings.Contains(r.stderr, `the connection to "build1" broke; trying again`) {
				t.Errorf("the connection did not break: %s", r.stderr)
			}
			left, err := filepath.Glob(filepath.Join(far.accounts(), "*", "home", ".codex", "auth.json"))
			testhome.NoError(t, err)
			if list := far.ok(far.swop("list")).stdout; len(left) > 0 || strings.Count(list, "ssh-") != 1 {
				t.Errorf("left there: %q; %s", left, list)
			}
			m.resumesThere(far)
			remote := m.command("sh", "-c", "exec codex swop ssh --as work build1 -- app-server")
			m.serveBridged(rpc.Program{Path: remote.Path, Args: remote.Args, Env: remote.Env}, m.unsearched)
			for _, tt := range []struct {
				host, want string
				change     func()
			}{
				{"build2", `may not be used on "build2"`, func() {}},
				{"build1", `"build1" has no swop, or another release of it`, func() { m.sshd(t.TempDir(), "/usr/bin:/bin") }},
				{"build1", `ssh cannot connect to "build1"`, func() { m.write("bin/ssh", "#!/bin/sh\nexit 255\n") }},
			} {
				tt.change()
				if r := m.run(m.swop("ssh", "--as", "work", tt.host, "--", "--version")); r.status != 1 || !strings.Contains(r.stderr, tt.want) {
					t.Errorf("ssh %s exits %d, want 1 and %q: %s", tt.host, r.status, tt.want, r.stderr)
				}
			}
		})
	}
}

// asNobody makes mounts in which the user nobody has a shell, and reaches the tests' programs in the directory %[1]q, which may lie below root's home.
const asNobody = `
sed '/^nobody:/s,[^:]*$,/bin/sh,' /etc/passwd >"$HOME/passwd"
chmod 644 "$HOME/passwd"
mount --bind "$HOME/passwd" /etc/passwd
mount --bind %[1]q /mnt
mount -t tmpfs -o mode=755 tmpfs /root
mkdir -p %[1]q
mount --move /mnt %[1]q`

// TestSSHAnotherUser: codex there is another user, who can read nothing of the account here. Only root can try that.
func TestSSHAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		return
	}
	m := newBridgedLogin(t, realcodex.Version, time.Hour)
	m.sayFailure()
	far := members{makeTrial(t, m.release, m.programs, freshHome(t, "home-")), m.openAI}
	far.write(".codex/config.toml", testhome.TextOf(filepath.Join(m.shared(), "config.toml"))+fmt.Sprintf("[projects.%q]\ntrust_level = \"trusted\"\n", far.work))
	m.ok(m.command("chown", "-R", "nobody", far.home))
	m.ok(m.command("chmod", "755", buildDir, m.programs.swop))
	cache, err := cacheDir()
	testhome.NoError(t, err)
	m.sshdFor("nobody", fmt.Sprintf(asNobody, cache), far.home, far.path(), "AllowStreamLocalForwarding no", "AllowTcpForwarding no")
	m.env = append(m.env, "PATH="+filepath.Join(m.home, "bin")+":"+m.path())
	config := testhome.TextOf(filepath.Join(m.home, ".config/swop/config.toml"))
	m.write(".config/swop/config.toml", config+"[accounts.work.remote]\nhosts = [\"build1\"]\n")
	m.model.Call("id -un; cat $CODEX_HOME/auth.json; cat " + filepath.Join(m.sandbox("work"), "auth.json") + "; echo ends-$((40+2))")
	r := m.ok(m.swop("ssh", "--as", "work", "build1", "--", "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-C", far.work, "who am I there?"))
	m.wantTurn("who am I there?")
	seen := m.turn("ends-42").Output()
	if !strings.Contains(seen, "nobody") || !strings.Contains(seen, "account_id") || !strings.Contains(seen, "Permission denied") {
		t.Errorf("a command there prints %s", seen)
	}
	m.wantNoSecret(seen + r.stdout + r.stderr)
	left, err := filepath.Glob(filepath.Join(far.accounts(), "*", "home", ".codex", "auth.json"))
	if testhome.NoError(t, err); len(left) > 0 || len(far.rollouts()) != 1 {
		t.Errorf("left there: %q, transcripts: %q", left, far.rollouts())
	}
}

// resumesThere goes on with the session of the other machine, in a terminal.
func (m members) resumesThere(far members) {
	m.t.Helper()
	testhome.Needs(m.t, "tmux")
	prompt := "<on there>"
	w := m.openTerminal(fmt.Sprintf("codex swop ssh --as work build1 -- -m test-model -C %s resume %s", far.work, threadID(far.rollouts()[0])))
	w.await(m.prompt())
	w.ask(prompt)
	if r := m.wantTurn(prompt); !r.Asks("who am I there?") {
		m.t.Error("the session there does not go on")
	}
	w.await(responses.Reply)
	m.ok(m.command("sh", "-c", "kill $(cat "+m.carrier()+")")) // between two turns
	w.ask("<on again>")
	m.wantTurn("<on again>")
	if got := w.quit(); got != "0" {
		m.t.Errorf("the session there exits %q, want 0", got)
	}
	w.close()
}

// TestRemoteHost: an editor's remote host starts codex by ssh, from the PATH of the login shell there, and talks to it over standard input and output.
func TestRemoteHost(t *testing.T) {
	m := newBridgedLogin(t, realcodex.Version, time.Hour)
	m.sayFailure()
	m.ok(m.swop("use", "work"))
	m.sshd(m.home, m.path())
	m.env = append(m.env, "PATH="+filepath.Join(m.home, "bin")+":"+m.path())
	editor := m.command("sh", "-c", "exec ssh build1 'exec $SHELL -lc \"cd "+m.work+" && exec codex app-server\"'")
	m.serveBridged(rpc.Program{Path: editor.Path, Args: editor.Args, Env: editor.Env}, m.held)
}
