//go:build unix

package main

import (
	"flag"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// withMain is the program "with": it changes what a process inherits and execs a command, keeping the pid.
//
//	with [-clear] [-u NAME]… [-e NAME=VALUE]… [-umask N] [-notty | -tty | -shown] [-fd FILE] [-0 NAME] [-limit DURATION] command…
//
// -e sets a variable. -notty leaves the terminal that the tests were started
// from; -tty makes the terminal of ttyin the three standard streams. -fd leaves FILE open in the command. -limit ends a command that hangs.
// With -limit, -tty and -shown the command is a child: a terminal that closes
// loses what has not been read of it, so with ends a moment after the command.
func withMain() {
	env := rawEnv()
	f := flag.NewFlagSet("with", flag.ExitOnError)
	f.BoolFunc("clear", "", func(string) error { env = nil; return nil })
	f.Func("u", "", func(name string) error { env = without(env, name); return nil })
	f.Func("e", "", func(entry string) error {
		name, _, _ := strings.Cut(entry, "=")
		env = append(without(env, name), entry)
		return nil
	})
	f.Func("umask", "", func(mask string) error {
		n, err := strconv.ParseInt(mask, 8, 0)
		syscall.Umask(int(n))
		return err
	})
	f.BoolFunc("notty", "", func(string) error { _, err := syscall.Setsid(); return err })
	shown := f.Bool("shown", false, "")
	f.BoolFunc("tty", "", func(string) error { *shown = true; return terminal() })
	f.Func("fd", "", func(file string) error {
		_, err := syscall.Open(file, syscall.O_RDONLY, 0) // without O_CLOEXEC
		return err
	})
	argv0 := f.String("0", "", "")
	limit := f.Duration("limit", 0, "")
	if err := f.Parse(os.Args[1:]); err != nil {
		fail(err)
	}
	argv := f.Args()
	if *limit > 0 {
		os.Exit(runLimited(argv, env, *limit))
	}
	if *shown {
		signal.Notify(make(chan os.Signal, 1), os.Interrupt) // ctrl-c is for the command
		status := statusOf(start(argv, env))
		time.Sleep(150 * time.Millisecond)
		os.Exit(status)
	}
	program, err := exec.LookPath(f.Arg(0)) // on this process's PATH: the command's own may hold no program at all
	if err != nil {
		fail(err)
	}
	if *argv0 != "" {
		argv[0] = *argv0
	}
	fail(syscall.Exec(program, argv, env))
}

// runLimited runs a command as a child and ends it after the limit, with the status of timeout(1) then.
func runLimited(command, env []string, limit time.Duration) int {
	pid := start(command, env)
	end := time.AfterFunc(limit, func() { _ = syscall.Kill(pid, syscall.SIGKILL) }) // it may just have ended
	status := statusOf(pid)
	if !end.Stop() {
		return 124
	}
	return status
}

func terminal() error {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	for fd := range 3 {
		if err := unix.Dup2(int(tty.Fd()), fd); err != nil {
			return err
		}
	}
	return nil
}
