//go:build unix

package swop_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"swop/internal/test/testbuild"
	"swop/internal/test/testhome"
)

// scriptCommands are what scripts have besides the commands of testscript. testdata/README.md says what each does.
func scriptCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"exits":     positive(exits),
		"inside":    positive(inside),
		"fake":      positive(each(writeFake)),
		"absent":    positive(each(absent)),
		"mode":      positive(mode),
		"issymlink": positive(isSymlink),
		"regular":   positive(each(regular)),
		"snapshot":  positive(snapshot),
		"unchanged": positive(unchanged),
		"paste":     positive(paste),
		"await":     positive(each(await)),
		"samepid":   positive(samePID),
		"signal":    positive(send),
		"ended":     positive(ended),

		"kill-background": positive(killBackground),
		"locked":          positive(locked),
		"lines":           positive(lines),
		"service":         positive(service),
		"github":          positive(github),
	}
}

// TestCommandsInREADME: whoever writes a script finds each command.
func TestCommandsInREADME(t *testing.T) {
	page := testhome.TextOf("../../../testdata/README.md")
	for name := range scriptCommands() {
		if !strings.Contains(page, "`"+name+" ") && !strings.Contains(page, "`"+name+"`") {
			t.Errorf("testdata/README.md does not name %s", name)
		}
	}
}

// positive is a command that cannot be negated, and whose error fails the script.
func positive(f func(*testscript.TestScript, []string) error) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg {
			ts.Fatalf("this command cannot be negated")
		}
		ts.Check(f(ts, args))
	}
}

func each(f func(file string) error) func(*testscript.TestScript, []string) error {
	return func(ts *testscript.TestScript, args []string) error {
		for _, file := range args {
			if err := f(ts.MkAbs(file)); err != nil {
				return err
			}
		}
		return nil
	}
}

func exits(ts *testscript.TestScript, args []string) error {
	want, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	got, err := exitStatus(ts.Exec(args[1], args[2:]...))
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("%q exits %d, want %d", args[1:], got, want)
	}
	noteHints(ts)
	return wellSaid(ts.ReadFile("stdout"), ts.ReadFile("stderr"))
}

func inside(ts *testscript.TestScript, args []string) error {
	before := ts.Getenv("CODEX_FAKE_SH")
	ts.Setenv("CODEX_FAKE_SH", args[1])
	defer ts.Setenv("CODEX_FAKE_SH", before)
	return exits(ts, append([]string{args[0], "codex"}, args[2:]...))
}

func exitStatus(err error) (int, error) {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return 0, err
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return exit.ExitCode(), nil
}

var (
	traces   = regexp.MustCompile(`goroutine \d|panic:|runtime error|failed to |Failed to `)
	fullStop = regexp.MustCompile(`(?m)^swop: .*[^.]\.$`)
)

// wellSaid refuses secrets, stack traces and full stops.
func wellSaid(stdout, stderr string) error {
	switch text := stdout + stderr; {
	case strings.Contains(text, testbuild.Planted):
		return errors.New("a secret is printed")
	case traces.MatchString(text):
		return fmt.Errorf("the output says %q", traces.FindString(text))
	case fullStop.MatchString(text):
		return fmt.Errorf("a message ends in a full stop: %q", fullStop.FindString(text))
	}
	return nil
}

func absent(file string) error {
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there (%v)", file, err)
	}
	return nil
}

func mode(ts *testscript.TestScript, args []string) error {
	want, err := strconv.ParseUint(args[0], 8, 32)
	if err != nil {
		return err
	}
	for _, file := range args[1:] {
		info, err := os.Lstat(ts.MkAbs(file))
		if err != nil {
			return err
		}
		if got := info.Mode().Perm(); got != fs.FileMode(want) {
			return fmt.Errorf("%s has mode %#o, want %#o", file, got, want)
		}
	}
	return nil
}

func isSymlink(ts *testscript.TestScript, args []string) error {
	got, err := os.Readlink(ts.MkAbs(args[0]))
	if err == nil && got != args[1] {
		err = fmt.Errorf("%s is a link to %q, want %q", args[0], got, args[1])
	}
	return err
}

func regular(file string) error {
	info, err := os.Lstat(file)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !info.Mode().IsRegular() || !ok || st.Nlink != 1 {
		return fmt.Errorf("%s is no regular file with one name: %v", file, info.Mode())
	}
	return nil
}

func paste(ts *testscript.TestScript, args []string) error {
	want, err := regexp.Compile(args[0])
	if err != nil {
		return err
	}
	stderr := ts.ReadFile("stderr")
	for _, line := range strings.Split(stderr, "\n") {
		if hint, ok := strings.CutPrefix(line, "swop: hint: "); ok && want.MatchString(hint) {
			return ts.Exec("sh", "-c", hint)
		}
	}
	return fmt.Errorf("no hint matches %q", args[0])
}

// patience is far above what anything here takes, on a busy machine too.
const patience = 2 * time.Minute

// until waits for what has no event to wait on.
func until(what string, done func() bool) error {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if done() {
			return nil
		}
	}
	return fmt.Errorf("waited in vain for %s", what)
}

func await(file string) error {
	return until(file, func() bool {
		_, err := os.Stat(file)
		return err == nil
	})
}

func pidIn(ts *testscript.TestScript, file string) (int, error) {
	return strconv.Atoi(strings.TrimSpace(ts.ReadFile(file)))
}

func samePID(ts *testscript.TestScript, args []string) error {
	got, err := pidIn(ts, args[0])
	if err != nil {
		return err
	}
	commands := ts.BackgroundCmds()
	if want := commands[len(commands)-1].Process.Pid; got != want {
		return fmt.Errorf("codex has pid %d, want %d, that of the shim", got, want)
	}
	return nil
}

func send(ts *testscript.TestScript, args []string) error {
	pid, err := pidIn(ts, args[1])
	if err != nil {
		return err
	}
	signal := unix.SignalNum("SIG" + args[0])
	if signal == 0 {
		return fmt.Errorf("no signal %q", args[0])
	}
	return syscall.Kill(pid, signal)
}

func killBackground(ts *testscript.TestScript, args []string) error {
	commands := ts.BackgroundCmds()
	return commands[len(commands)-1].Process.Signal(unix.SignalNum("SIG" + args[0]))
}

func ended(ts *testscript.TestScript, args []string) error {
	pid, err := pidIn(ts, args[0])
	if err != nil {
		return err
	}
	return until(fmt.Sprintf("the end of process %d", pid), func() bool { return testhome.Ended(pid) })
}

// locked checks that the lock file is held, shared or exclusively, or with -not to be free.
func locked(ts *testscript.TestScript, args []string) error {
	want := true
	if args[0] == "-not" {
		want, args = false, args[1:]
	}
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if got := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil; got != want {
		return fmt.Errorf("%s: held is %v, want %v", args[0], got, want)
	}
	return unix.Flock(int(f.Fd()), unix.LOCK_UN) // at once: a child that another script just forks has this descriptor, too
}

func lines(ts *testscript.TestScript, args []string) error {
	want, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	if got := strings.Count(ts.ReadFile(args[1]), "\n"); got != want {
		return fmt.Errorf("%s has %d lines, want %d", args[1], got, want)
	}
	return nil
}
