package supervise

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/disk"
	"swop/internal/test/testhome"
)

// TestMain lets the tests run this program as a supervisor of sh.
func TestMain(m *testing.M) {
	if script := os.Getenv("SUPERVISE"); script != "" {
		superviseShell(script)
	}
	os.Exit(testhome.Suite{Tests: m}.Run())
}

func superviseShell(script string) {
	status, err := Run(
		func() (Child, error) { return Start("/bin/sh", []string{"codex", "-c", script}, os.Environ()) },
		func() { fmt.Println("after it") },
	)
	if err != nil {
		fmt.Println(err)
		status = 125
	}
	os.Exit(AsEnded(status))
}

// supervised is a supervisor of a shell script, in a process group of its own.
type supervised struct {
	t *testing.T
	*exec.Cmd
	lines   *bufio.Scanner // of what it prints
	witness string         // the pid of the last one
}

func startSupervised(t *testing.T, script string, attr syscall.SysProcAttr, stdin *os.File) *supervised {
	t.Helper()
	self, err := os.Executable()
	testhome.NoError(t, err)
	out, in, err := os.Pipe()
	testhome.NoError(t, err)
	s := &supervised{t, exec.Command(self), bufio.NewScanner(out), ""}
	s.Env = []string{"SUPERVISE=" + script, "PATH=/usr/bin:/bin"}
	s.Stdin, s.Stdout, s.Stderr, s.SysProcAttr = stdin, in, os.Stderr, &attr
	testhome.NoError(t, s.Start())
	testhome.NoError(t, in.Close())
	t.Cleanup(func() { _ = syscall.Kill(-s.Process.Pid, syscall.SIGKILL) }) // what a failed test left
	return s
}

func (s *supervised) wantLine(want string) {
	s.t.Helper()
	if !s.lines.Scan() || s.lines.Text() != want {
		s.t.Fatalf("it prints %q (%v), want %q", s.lines.Text(), s.lines.Err(), want)
	}
}

// wantEnd checks how it ends, in the words of [os.ProcessState], and that what comes after the child came.
func (s *supervised) wantEnd(want string) {
	s.t.Helper()
	s.wantLine("after it")
	_ = s.Wait() // the state says it
	if got := s.ProcessState.String(); got != want {
		s.t.Errorf("it ends with %q, want %q", got, want)
	}
}

// wantWitness waits until there is another witness: the signal before has been told, and the next one is no part of it.
func (s *supervised) wantWitness() {
	s.t.Helper()
	for {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", s.Process.Pid))
		testhome.NoError(s.t, err)
		var children []string
		for _, file := range threads {
			pids, _ := os.ReadFile(file) // the thread may have ended
			children = append(children, strings.Fields(string(pids))...)
		}
		slices.SortFunc(children, func(a, b string) int { return cmp.Or(len(a)-len(b), cmp.Compare(a, b)) })
		if len(children) == 2 && children[1] != s.witness { // the child of the supervisor came first
			// While it is still to become cat, a key may be lost on it.
			if name, _ := os.ReadFile("/proc/" + children[1] + "/comm"); string(name) == "cat\n" {
				s.witness = children[1]
				return
			}
		}
	}
}

// wantStopped waits until the supervisor has stopped itself.
func (s *supervised) wantStopped() {
	s.t.Helper()
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(s.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || status.StopSignal() != syscall.SIGSTOP {
		s.t.Fatalf("it ends or stops with %#x (%v), want stopped by itself", status, err)
	}
}

// ownGroup lets a supervisor lead a job, as a shell does.
var ownGroup = syscall.SysProcAttr{Setpgid: true}

func TestSuperviseEnds(t *testing.T) {
	for _, tt := range []struct{ script, want string }{
		{"exit 7", "exit status 7"},
		{"kill -TERM $$", "signal: terminated"},
		{"kill -QUIT $$", "signal: quit"},
		{"kill -SEGV $$", "signal: segmentation fault"},
	} {
		t.Run(tt.script, func(t *testing.T) { startSupervised(t, tt.script, ownGroup, nil).wantEnd(tt.want) })
	}
}

// TestSuperviseSignals: what is sent to the supervisor alone reaches the child, once.
func TestSuperviseSignals(t *testing.T) {
	for _, name := range []string{"INT", "USR1"} {
		t.Run(name, func(t *testing.T) {
			script := fmt.Sprintf("trap 'n=$((n+1)); echo got %[1]s' %[1]s; trap 'exit $n' CONT; echo ready; while :; do sleep 0.01; done", name)
			s := startSupervised(t, script, ownGroup, nil)
			s.wantLine("ready")
			testhome.NoError(t, s.Process.Signal(unix.SignalNum("SIG"+name)))
			s.wantLine("got " + name)
			testhome.NoError(t, s.Process.Signal(syscall.SIGCONT))
			s.wantEnd("exit status 1")
		})
	}
}

// TestSuperviseIgnored: what the caller has ignored stays so, as nohup wants it.
func TestSuperviseIgnored(t *testing.T) {
	self, err := os.Executable()
	testhome.NoError(t, err)
	for _, name := range []string{"HUP", "INT"} {
		cmd := exec.Command("/bin/sh", "-c", "trap '' "+name+"; exec "+self)
		cmd.Env = []string{"SUPERVISE=kill -" + name + " $$; kill -" + name + " $PPID; echo alive", "PATH=/usr/bin:/bin"}
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != "alive\nafter it\n" {
			t.Errorf("with SIG%s ignored it prints %q, %v", name, out, err)
		}
	}
}

func TestSuperviseStops(t *testing.T) {
	for _, kill := range []string{"kill -STOP $$", "kill -TSTP $$", "kill -TTIN 0"} { // the last one as the terminal does
		t.Run(kill, func(t *testing.T) {
			s := startSupervised(t, "echo ready; "+kill+"; echo on; "+kill+"; exit 3", ownGroup, nil)
			s.wantLine("ready")
			s.wantStopped()
			testhome.NoError(t, s.Process.Signal(syscall.SIGCONT)) // to it alone: it continues the child
			s.wantLine("on")
			s.wantStopped()
			testhome.NoError(t, syscall.Kill(-s.Process.Pid, syscall.SIGCONT)) // as a shell does for fg
			s.wantEnd("exit status 3")
		})
	}
}

// TestSuperviseKilled: a supervisor that is killed takes the child with it.
func TestSuperviseKilled(t *testing.T) {
	s := startSupervised(t, "echo $$; exec sleep 1000", ownGroup, nil)
	s.lines.Scan()
	pid, err := strconv.Atoi(s.lines.Text())
	testhome.NoError(t, err)
	child, err := unix.PidfdOpen(pid, 0)
	testhome.NoError(t, err)
	defer unix.Close(child)
	testhome.NoError(t, s.Process.Kill())
	ended := []unix.PollFd{{Fd: int32(child), Events: unix.POLLIN}}
	if n, err := disk.RetryEINTR(func() (int, error) { return unix.Poll(ended, 10_000) }); n != 1 {
		t.Errorf("the child goes on after its supervisor was killed: %v", err)
	}
}

// TestSuperviseTerminal presses keys in a terminal: each reaches the child once, and so does SIGINT from another process.
func TestSuperviseTerminal(t *testing.T) {
	master, slave := testhome.OpenTerminal(t)
	script := "trap 'echo int $((n+=1))' INT; trap 'stty size' WINCH; trap 'exit $n' TERM; sleep 60 & echo ready; while :; do wait; done"
	s := startSupervised(t, script, syscall.SysProcAttr{Setsid: true, Setctty: true}, slave)
	s.wantLine("ready")
	s.wantWitness()
	press(t, master, "\x03")
	s.wantLine("int 1")
	testhome.NoError(t, unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 33, Col: 44}))
	s.wantLine("33 44")
	s.wantWitness()
	testhome.NoError(t, s.Process.Signal(syscall.SIGINT))
	s.wantLine("int 2")
	s.wantWitness()
	press(t, master, "\x03")
	s.wantLine("int 3")
	s.wantWitness() // what passes the key on as well does so before the next signal
	testhome.NoError(t, s.Process.Signal(syscall.SIGTERM))
	s.wantEnd("exit status 3")
}

// TestSuperviseKeyless: in a terminal whose keys send no signal, as a full-screen program has it, a signal is another process's.
func TestSuperviseKeyless(t *testing.T) {
	_, slave := testhome.OpenTerminal(t)
	script := "trap 'exit 5' INT; stty -isig; echo ready; while :; do sleep 0.01; done"
	s := startSupervised(t, script, syscall.SysProcAttr{Setsid: true, Setctty: true}, slave)
	s.wantLine("ready")
	testhome.NoError(t, s.Process.Signal(syscall.SIGINT))
	s.wantEnd("exit status 5")
}

func press(t *testing.T, master *os.File, keys string) {
	t.Helper()
	_, err := master.WriteString(keys)
	testhome.NoError(t, err)
}
