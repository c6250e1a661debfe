//go:build unix

package confined

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"swop/bridge"
	"swop/disk"
	"swop/manager/verb"
	"swop/say"
	"swop/session/socket"
)

// overSSH is a call of codex swop ssh.
type overSSH struct {
	as    string
	carry string // of the far side: the directory of the socket that requests go to
	join  string // of the far side: likewise, for codex
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
			if o.carry != "" {
				return carryLogin(call, o.carry)
			}
			if o.join != "" {
				return verb.With(call.Open, func(s verb.Setup, args []string) error { return joinLogin(s, o.join, args) })(cmd, args)
			}
			if err := verb.Needs("HOST")(cmd, args); err != nil {
				return err
			}
			if strings.HasPrefix(args[0], "-") {
				return verb.Usagef("HOST cannot begin with -")
			}
			if len(args) > 1 && args[1] == "--" {
				args = slices.Delete(args, 1, 2)
			}
			return verb.With(call.Look, func(s verb.Setup, args []string) error { return o.run(s, args[0], args[1:]) })(cmd, args)
		},
	}
	cmd.Flags().StringVar(&o.as, "as", "", "use the login of the account `LABEL`")
	cmd.Flags().StringVar(&o.carry, "carry", "", "the other side: pass requests on from the socket in `DIR`")
	cmd.Flags().StringVar(&o.join, "join", "", "the other side: run codex with the login in `DIR`")
	_, _ = cmd.Flags().MarkHidden("carry"), cmd.Flags().MarkHidden("join") // they exist
	cmd.Flags().SetInterspersed(false)
	return cmd
}

// run serves the login of the account, and runs codex on the host with it.
func (o overSSH) run(s verb.Setup, host string, args []string) error {
	var label []string
	if o.as != "" {
		label = []string{o.as}
	}
	_, acct, err := s.AccountOr(label, "codex swop ssh --as LABEL HOST")
	if err != nil {
		return err
	}
	remote := s.Settings.Accounts[acct.Key].Remote
	if !slices.Contains(remote.Hosts, host) {
		err := fmt.Errorf("the login of the account %q may not be used on %q", acct.Meta.Label, host)
		return say.WithHint(err, fmt.Sprintf("write in config.toml, below [accounts.%s.remote]: hosts = [%q]", acct.Key, host))
	}
	c := connection{call: s.Call, host: host, far: farDirs + strings.ToLower(rand.Text())}
	if c.ssh, err = disk.OnPath("ssh", s.Environ.Value("PATH")); err != nil {
		return err
	}
	return serving(s, acct.Meta.Label, host, func(b *bridge.Session) error {
		most := bridge.Most{PerHour: remote.PerHour}
		if remote.Until > 0 {
			most.Until = s.Call.Now().Add(remote.Until)
		}
		c.near = filepath.Join(b.Dir(), "served")
		if err := b.ServeIn(c.near, most); err != nil {
			return err
		}
		return c.use(args)
	})
}

// farDirs is what the directories of sockets begin with on another machine. Their names cannot be guessed, and their modes let in one user.
const farDirs = "/tmp/swop-ssh-"

// carries is what the other side prints once requests can come.
const carries = "swop: ready for requests"

// sshFailed is the exit status of ssh itself.
const sshFailed = 255

// connection is the way of requests from another machine: standard input and output of a call of ssh. A second call runs codex there. A connection
// that breaks is made again while that one lasts.
type connection struct {
	call      *verb.Call
	ssh       string // the program
	host      string
	near, far string // the directories of the socket here, and there
}

// use runs codex there, and keeps the connection as long.
func (c *connection) use(args []string) error {
	life, end := context.WithCancel(context.Background())
	defer end()
	carrier, err := c.open(life, c.call.Stderr)
	if err != nil {
		return err
	}
	go c.keep(life, carrier)
	terminal := "-T"
	if c.call.IsInteractive() {
		terminal = "-t"
	}
	codex := c.command(life, []string{terminal}, append([]string{"--join", c.far, "--"}, args...)...)
	err = c.call.RunProgram(codex.Path, codex.Args, codex.Env)
	if exit, ok := errors.AsType[verb.Exited](err); ok && exit == sshFailed {
		return say.WithHint(fmt.Errorf("the connection to %q broke, and codex there ended", c.host), "go on with: codex swop ssh "+say.ShellQuote(c.host)+" -- resume")
	}
	return err
}

// The pauses before ssh is tried again.
const (
	firstPause = 250 * time.Millisecond
	lastPause  = 30 * time.Second
)

// keep makes the connection again where it breaks, until life ends.
func (c *connection) keep(life context.Context, carrier *exec.Cmd) {
	said := false
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		if carrier != nil {
			_ = carrier.Wait()
			if !carrier.ProcessState.Success() && life.Err() == nil && !said { // else codex there has ended
				said = true
				say.Line(c.call.Stderr, "the connection to %q broke; trying again until codex there ends", c.host)
			}
			pause = firstPause
		}
		select {
		case <-life.Done():
			return
		case <-time.After(pause):
		}
		carrier, _ = c.open(life, nil, "-o", "BatchMode=yes") // codex has the terminal; what fails is tried again
	}
}

// open starts the call of ssh that requests come by, and waits until the other side is ready.
func (c *connection) open(life context.Context, stderr io.Writer, options ...string) (*exec.Cmd, error) {
	conn, err := socket.Dial(c.near, bridge.ServedSocket)
	if err != nil {
		return nil, err
	}
	carrier := c.command(life, append(options, "-T", "-o", "ServerAliveInterval=15"), "--carry", c.far)
	carrier.Stdin, carrier.Stderr, carrier.Cancel = conn, stderr, conn.Close // at the end of its input the other side removes its socket
	out, err := carrier.StdoutPipe()
	if err == nil {
		err = carrier.Start()
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	from := bufio.NewReader(out)
	for text := ""; !strings.Contains(text, carries); { // start files of a shell may print more
		if text, err = from.ReadString('\n'); err != nil {
			err = conn.Close()
			_ = carrier.Wait() // its state says why
			return nil, errors.Join(c.unprepared(carrier.ProcessState), err)
		}
	}
	go func() {
		_, _ = io.Copy(conn, from) // either side may go away
		_ = conn.Close()
	}()
	return carrier, nil
}

// command is a call of ssh with these options, and of codex swop ssh on the other side, in a login shell, which has the user's PATH.
func (c *connection) command(life context.Context, options []string, args ...string) *exec.Cmd {
	words := []string{"exec codex swop ssh"}
	for _, arg := range args {
		words = append(words, say.ShellQuote(arg))
	}
	remote := "exec $SHELL -lc " + say.ShellQuote(strings.Join(words, " "))
	cmd := exec.CommandContext(life, c.ssh, slices.Concat(options, []string{"--", c.host, remote})...)
	cmd.Args[0], cmd.Env = "ssh", c.call.Environ
	return cmd
}

// unprepared says why the other side is not ready.
func (c *connection) unprepared(state *os.ProcessState) error {
	if state.ExitCode() == sshFailed {
		return fmt.Errorf("ssh cannot connect to %q", c.host)
	}
	err := fmt.Errorf("%q has no swop, or another release of it", c.host)
	return say.WithHint(err, "to see what it has: ssh "+say.ShellQuote(c.host)+` 'exec $SHELL -lc "codex-swop version"'`)
}
