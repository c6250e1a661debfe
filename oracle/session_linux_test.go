package oracle

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// shell is a bash that is fed steps. It runs in the plain home, or is a session of an account. (A dash has no descriptors from 10 on, and among
// the lower ones is that by which swop knows that the session runs.)
type shell struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	said bytes.Buffer // by swop, before the shell began
	log  string       // what the steps print
}

// pair is a session of an account, and the shell in the plain home that runs the same steps.
type pair struct {
	key            string
	plain, session *shell
}

// shells numbers the directories of shells.
var shells atomic.Int64

// open starts a session of the account.
func (w *world) open(key string) (*pair, error) {
	w.note("open a session of %s", key)
	plain := exec.Command("/bin/bash")
	plain.Env = environment(w.dir, w.plain, w.bin)
	p, err := w.startShell(plain)
	if err != nil {
		return nil, err
	}
	s, err := w.startShell(w.command(key, "codex", "bash"))
	if err != nil {
		return nil, errors.Join(err, p.end())
	}
	w.hear(s.said.String())
	both := &pair{key, p, s}
	w.pairs = append(w.pairs, both)
	return both, nil
}

// startShell starts a shell and waits for it. Its steps have a directory $CTL of their own outside of the homes.
func (w *world) startShell(cmd *exec.Cmd) (*shell, error) {
	ctl := filepath.Join(w.dir, fmt.Sprintf("ctl%d", shells.Add(1)))
	if err := os.Mkdir(ctl, 0o700); err != nil {
		return nil, err
	}
	s := &shell{cmd: cmd, log: ctl + "/log"}
	cmd.Env, cmd.Dir = append(cmd.Env, "CTL="+ctl), w.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stderr = &s.said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if s.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s.out = bufio.NewReader(out)
	if err := s.do("umask 022; trap : PIPE"); err != nil {
		return nil, errors.Join(fmt.Errorf("%q: %s", cmd.Args, s.said.String()), err, s.end())
	}
	return s, nil
}

// do runs a step to its end. The status of the programs is theirs; an error is one of the shell.
func (s *shell) do(step string) error {
	late := time.AfterFunc(limit, s.kill)
	defer late.Stop()
	if _, err := fmt.Fprintf(s.in, "{ %s\n} </dev/null >>\"$CTL/log\" 2>&1; echo done\n", step); err != nil {
		return err
	}
	line, err := s.out.ReadString('\n')
	if err != nil || line != "done\n" {
		printed, _ := os.ReadFile(s.log) // for the message only
		return fmt.Errorf("%q ended in %q, %v: %s", step, line, err, printed)
	}
	return nil
}

// kill ends what the shell runs. The shell leads a group of its own.
func (s *shell) kill() {
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) // it may be gone
}

// end lets the shell's background programs end, and then the shell.
func (s *shell) end() error {
	late := time.AfterFunc(limit, s.kill)
	defer late.Stop()
	_, err := io.WriteString(s.in, "exec 45>&- 46>&- 47>&- 48<&-; wait\n")
	return errors.Join(err, s.in.Close(), s.cmd.Wait())
}

// do runs a step in both homes.
func (p *pair) do(step string) error {
	if err := p.plain.do(step); err != nil {
		return fmt.Errorf("in the plain home: %w", err)
	}
	return p.session.do(step)
}

// end ends the session.
func (w *world) end(p *pair) error {
	w.note("end a session of %s", p.key)
	w.pairs = slices.DeleteFunc(w.pairs, func(other *pair) bool { return other == p })
	return errors.Join(p.plain.end(), p.session.end())
}

func (w *world) endAll() error {
	var errs []error
	for _, p := range slices.Clone(w.pairs) {
		errs = append(errs, w.end(p))
	}
	return errors.Join(errs...)
}

// remove ends what still runs and deletes the world.
func (w *world) remove() error {
	for _, p := range w.pairs {
		for _, s := range []*shell{p.plain, p.session} {
			s.kill()
			_ = s.cmd.Wait() // killed
		}
	}
	return os.RemoveAll(w.dir)
}

// home writes a path below HOME as sh reads it.
func home(name string) string { return "~/" + quote(name) }

// quote writes a word as sh reads it.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
