//go:build unix

package limits

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"swop/config"
	"swop/internal/disk"
	"swop/internal/limits/usage"
	"swop/internal/say"
	"swop/manager/verb"
)

// Times of waiting: how long after a reset codex is started, and how long this process sleeps at most before it looks at the clock, which
// goes on while a machine is suspended.
const (
	resetGrace = 5 * time.Second
	longestNap = time.Minute
)

// wait waits until the account's reset has passed, or lets another program do that. The error is a [verb.Exited] then, or if a signal came.
func (x *execution) wait(ctx context.Context, until time.Time, args []string) error {
	until = until.Add(resetGrace)
	if x.detach {
		return x.place(until, args)
	}
	x.Say("%q is at its limit: waiting until its reset %s; the session goes on then", x.current.Meta.Label, usage.When(until, x.Now()))
	for left := until.Sub(x.Now()); left > 0; left = until.Sub(x.Now()) {
		select {
		case <-time.After(min(left, longestNap)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// carried are the variables that a placed continuation gets. No other is passed on: they are written to files.
var carried = []string{"HOME", "PATH", "SWOP_ROOT", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "LANG", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "CODEX_CA_CERTIFICATE", "SSL_CERT_FILE"}

// reaching are those by which systemd-run and at find whom they work for.
var reaching = []string{"USER", "LOGNAME", "SHELL", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"}

// place lets systemd, else at, go on with the session at a time, and says how to cancel that. The error is a [verb.Exited].
func (x *execution) place(at time.Time, args []string) error {
	env := x.only(carried).With("SWOP_ACCOUNT", x.current.Key)
	command := slices.Concat([]string{x.Executable, "exec", "--at-limit", atLimitWait, "--rounds", fmt.Sprint(max(x.rounds-1, 0)), "--"}, args)
	cancel, err := x.bySystemd(at, env, command)
	if err != nil {
		var failed error
		if cancel, failed = x.byAt(at, env, command); failed != nil {
			return say.WithHint(fmt.Errorf("cannot place the continuation: %w; %w", err, failed), "leave --detach out")
		}
	}
	x.Say("%q is at its limit: the session goes on after its reset %s, without this terminal", x.current.Meta.Label, usage.When(at, x.Now()))
	x.Say("hint: to cancel it: %s", cancel)
	return verb.Exited(0)
}

// only returns the variables of our environment that have these names.
func (x *execution) only(names []string) (env config.Env) {
	for _, name := range names {
		if value := x.Environ.Value(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// bySystemd lets the user's systemd run the command at a time, and returns what cancels that.
func (x *execution) bySystemd(at time.Time, env config.Env, command []string) (cancel string, err error) {
	unit := fmt.Sprintf("swop-exec-%d-%d", at.Unix(), os.Getpid())
	args := []string{"--user", "--quiet", "--collect", "--same-dir", "--unit", unit, "--timer-property=AccuracySec=1s", "--on-calendar", at.UTC().Format("2006-01-02 15:04:05 UTC")}
	for _, variable := range env {
		name, _, _ := strings.Cut(variable, "=")
		args = append(args, "--setenv="+name) // with the value that it has there: arguments can be seen
	}
	_, err = x.tell("", slices.Concat(env, x.only(reaching)), "systemd-run", slices.Concat(args, []string{"--"}, command)...)
	return "systemctl --user stop " + unit + ".timer", err
}

// byAt lets at run the command at a time, and returns what cancels that.
func (x *execution) byAt(at time.Time, env config.Env, command []string) (cancel string, err error) {
	script := "env -i"
	for _, word := range slices.Concat(env, command) {
		script += " " + say.ShellQuote(word)
	}
	if at.Second() > 0 {
		at = at.Add(time.Minute) // at knows minutes
	}
	said, err := x.tell(script+"\n", x.only(slices.Concat(reaching, []string{"HOME", "PATH"})), "at", "-t", at.Local().Format("200601021504"))
	if err != nil {
		return "", err
	}
	_, job, _ := strings.Cut("\n"+said, "\njob ")
	number, _, found := strings.Cut(job, " ")
	if !found {
		return "", errors.New("at named no job")
	}
	for line := range strings.Lines(said) { // at queues the job all the same, and exits 0
		if strings.Contains(line, "No atd running") {
			_, failed := x.tell("", x.only(reaching), "atrm", number)
			return "", errors.Join(fmt.Errorf("at: %s", strings.TrimSpace(line)), failed)
		}
	}
	return "atrm " + number, nil
}

// tell runs a program with an input, and returns what it says.
func (x *execution) tell(input string, env config.Env, program string, args ...string) (string, error) {
	path, err := disk.OnPath(program, x.Environ.Value("PATH"))
	if err != nil {
		return "", err
	}
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Env = strings.NewReader(input), env
	text, err := cmd.CombinedOutput()
	if err != nil {
		said, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
		return "", fmt.Errorf("%s: %w %s", program, err, said)
	}
	return string(text), nil
}
