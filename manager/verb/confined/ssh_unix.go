//go:build unix

package confined

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"swop/account"
	"swop/bridge"
	"swop/config"
	"swop/disk"
	"swop/manager/verb"
	"swop/say"
)

// overSSH is a call of ssh.
type overSSH struct {
	as      string
	receive string // of the far side: the directory that is made
	join    string // of the far side: the directory that has the login
}

func SSH(call *verb.Call) *cobra.Command {
	var o overSSH
	cmd := &cobra.Command{
		Use:   "ssh HOST [-- ARGUMENT…]",
		Short: "Run codex on another machine with a login that stays here",
		Long: "Run codex on another machine, by OpenSSH, with the login of an account that stays on this one: codex there gets a stand-in, and its\n" +
			"requests come back through the connection. Sessions, files and commands are the other machine's, which needs swop too. The\n" +
			"account must name the machine: [accounts.LABEL.remote] hosts = [\"HOST\"] in config.toml.",
		Example: verb.Example("codex swop ssh build1", "codex swop ssh --as work build1 -- -C project", "codex swop ssh build1 -- exec 'fix the tests'"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.receive != "" {
				return receiveLogin(call, o.receive)
			}
			if o.join != "" {
				return verb.With(call.Open, func(s verb.Setup, args []string) error { return joinLogin(s, o.join, args) })(cmd, args)
			}
			if err := verb.Needs("HOST")(cmd, args); err != nil {
				return err
			}
			if len(args) > 1 && args[1] == "--" {
				args = slices.Delete(args, 1, 2)
			}
			return o.run(call, args[0], args[1:])
		},
	}
	cmd.Flags().StringVar(&o.as, "as", "", "use the login of the account `LABEL`")
	cmd.Flags().StringVar(&o.receive, "receive", "", "the other side: make the directory `DIR`")
	cmd.Flags().StringVar(&o.join, "join", "", "the other side: run codex with the login in `DIR`")
	_, _ = cmd.Flags().MarkHidden("receive"), cmd.Flags().MarkHidden("join") // they exist
	cmd.Flags().SetInterspersed(false)
	return cmd
}

// run serves the login of the account, and runs codex on the host with it.
func (o overSSH) run(call *verb.Call, host string, args []string) error {
	if strings.HasPrefix(host, "-") {
		return verb.Usagef("HOST cannot begin with -")
	}
	acct, remote, err := o.account(call)
	if err != nil {
		return err
	}
	if !slices.Contains(remote.Hosts, host) {
		err := fmt.Errorf("the login of the account %q may not be used on %q", acct.Meta.Label, host)
		return say.WithHint(err, fmt.Sprintf("write in config.toml, below [accounts.%s.remote]: hosts = [%q]", acct.Key, host))
	}
	options, end, err := servedOptions(call, acct.Meta.Label)
	if err != nil {
		return err
	}
	defer end()
	options.Host = host
	s, err := bridge.Start(options)
	if err != nil {
		return err
	}
	defer s.Close()
	most := bridge.Most{PerHour: remote.PerHour}
	if remote.Until > 0 {
		most.Until = call.Now().Add(remote.Until)
	}
	near := filepath.Join(s.Dir(), "served")
	if err := s.ServeLogin(near, most); err != nil {
		return err
	}
	c := connection{call: call, host: host, control: filepath.Join(s.Dir(), "ssh"), far: farDirs + strings.ToLower(rand.Text())}
	if c.ssh, err = disk.OnPath("ssh", call.Environ.Value("PATH")); err != nil {
		return err
	}
	return c.use(s.Served(), near, args)
}

// account returns the account whose login is used, and where it may be.
func (o overSSH) account(call *verb.Call) (acct account.Account, remote config.Remote, err error) {
	s, err := call.Look()
	if err != nil {
		return acct, remote, err
	}
	label := o.as
	if label == "" {
		choice, err := s.Here()
		if err != nil {
			return acct, remote, err
		}
		label = choice.Label
	}
	if label == "" {
		return acct, remote, verb.Usagef("codex runs without an account here; name one: --as LABEL")
	}
	acct, err = s.Store.Find(label)
	return acct, s.Settings.Accounts[acct.Key].Remote, err
}

// connection is one to another machine, which several calls of ssh share.
type connection struct {
	call      *verb.Call
	ssh       string // the program
	host, far string // far is the directory there that has the login
	control   string // the socket of the shared connection
}

// farDirs is what the directories of logins begin with on another machine. Their names cannot be guessed, and their modes let in one user.
const farDirs = "/tmp/swop-ssh-"

// received is what the other side prints first.
const received = "swop: ready for a login"

// lingers is how long a connection lasts when no call of ssh uses it: where this process was killed, nobody ends it.
const lingers = 10 * time.Second

// use runs codex there. The stand-in goes by standard input, so that no list of processes shows it.
func (c connection) use(about bridge.Served, near string, args []string) error {
	description, err := json.Marshal(about)
	if err != nil {
		return err
	}
	shared := []string{"-o", "ControlPath=" + c.control}
	first := c.command(slices.Concat(shared, []string{"-T", "-o", "ControlMaster=yes", "-o", fmt.Sprintf("ControlPersist=%d", int(lingers.Seconds()))}), "--receive", c.far)
	var out bytes.Buffer
	first.Stdin, first.Stdout, first.Stderr = bytes.NewReader(description), &out, c.call.Stderr
	defer c.end(shared)
	if err := first.Run(); err != nil || !strings.Contains(out.String(), received) {
		return c.unprepared(first.ProcessState)
	}
	forward := slices.Concat(shared, []string{"-o", "ControlMaster=no", "-o", "ExitOnForwardFailure=yes"})
	nearSockets := about.Sockets(near)
	for i, socket := range about.Sockets(c.far) {
		forward = append(forward, "-R", socket+":"+nearSockets[i])
	}
	if c.call.IsInteractive() {
		forward = append(forward, "-t")
	} else {
		forward = append(forward, "-T")
	}
	second := c.command(forward, append([]string{"--join", c.far, "--"}, args...)...)
	err = c.call.RunProgram(second.Path, second.Args, c.call.Environ)
	if exit, ok := errors.AsType[verb.Exited](err); ok && exit == sshFailed {
		remove := exec.Command(c.ssh, slices.Concat(shared, []string{"-o", "BatchMode=yes", "--", c.host, "rm -rf " + c.far})...)
		remove.Env = c.call.Environ
		_ = remove.Run() // the next session there does it
		return say.WithHint(fmt.Errorf("ssh cannot pass sockets on to %q, or the connection broke", c.host), "its sshd_config needs: AllowStreamLocalForwarding yes")
	}
	return err
}

// sshFailed is the exit status of ssh itself.
const sshFailed = 255

// command is a call of ssh with these options, and of codex swop ssh on the other side, in a login shell, which has the user's PATH.
func (c connection) command(options []string, args ...string) *exec.Cmd {
	words := []string{"exec codex swop ssh"}
	for _, arg := range args {
		words = append(words, say.ShellQuote(arg))
	}
	remote := "exec $SHELL -lc " + say.ShellQuote(strings.Join(words, " "))
	cmd := exec.Command(c.ssh, slices.Concat(options, []string{"--", c.host, remote})...)
	cmd.Args[0], cmd.Env = "ssh", c.call.Environ
	return cmd
}

// unprepared says why the other side has not made its directory.
func (c connection) unprepared(state *os.ProcessState) error {
	if state != nil && state.ExitCode() == sshFailed {
		return fmt.Errorf("ssh cannot connect to %q", c.host)
	}
	err := fmt.Errorf("%q has no swop, or another release of it", c.host)
	return say.WithHint(err, "ssh "+say.ShellQuote(c.host)+` 'exec $SHELL -lc "codex swop version"'`)
}

// end ends the shared connection.
func (c connection) end(shared []string) {
	cmd := exec.Command(c.ssh, slices.Concat(shared, []string{"-O", "exit", "--", c.host})...)
	cmd.Env = c.call.Environ
	_ = cmd.Run() // it may have ended
}
