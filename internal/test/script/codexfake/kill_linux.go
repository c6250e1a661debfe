package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"swop/internal/test/faults"
)

// becomeTraced must come first in main: see [faults.Helper].
func becomeTraced() { faults.Helper() }

func traceMain(name string) {
	map[string]func(){"killat": killAtMain, "failat": failAtMain, "amid": amidMain}[name]()
}

// killAtMain is the program "killat": it runs a command and kills it, with all its children, before the N-th call by which any of them
// changes a file, counted from 0. Its exit status is the command's.
//
//	killat N command…
func killAtMain() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fail(err)
	}
	runTraced("", os.Args[2:], func(c faults.Call) faults.Verdict { return faults.Verdict{Kill: c.Change == n} }) // no read is a change
}

// failAtMain is the program "failat": it runs a command and lets every call of the name fail whose file's path ends so.
//
//	failat ERRNO CALL PATH command…
func failAtMain() {
	errno, name, path := errnoCalled(os.Args[1]), os.Args[2], os.Args[3]
	runTraced(filepath.Dir(os.Getenv("HOME")), os.Args[4:], func(c faults.Call) faults.Verdict {
		if c.Name == name && strings.HasSuffix(c.Paths[0], path) {
			return faults.Verdict{Error: errno}
		}
		return faults.Verdict{}
	})
}

// amidMain is the program "amid": it runs a command, and `sh SCRIPT N` before the N-th call of the name, counted from 0, whose file's path
// ends so. The command goes on when that has ended.
//
//	amid CALL PATH SCRIPT command…
func amidMain() {
	name, path, script := os.Args[1], os.Args[2], os.Args[3]
	n := 0
	runTraced(filepath.Dir(os.Getenv("HOME")), os.Args[4:], func(c faults.Call) faults.Verdict {
		if c.Name == name && strings.HasSuffix(c.Paths[0], path) {
			runAside("sh", script, strconv.Itoa(n))
			n++
		}
		return faults.Verdict{}
	})
}

// runAside runs a command on another thread: the tracer waits for all children of its own.
func runAside(args ...string) {
	done := make(chan error)
	go func() {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		done <- cmd.Run()
	}()
	if err := <-done; err != nil {
		fail(fmt.Errorf("%q: %w", args, err))
	}
}

func errnoCalled(name string) unix.Errno {
	for errno := unix.EPERM; errno <= unix.EHWPOISON; errno++ {
		if unix.ErrnoName(errno) == name {
			return errno
		}
	}
	fail(fmt.Errorf("no errno %q", name))
	return 0
}

// runTraced asks verdict also before opens that only read, and locks, in the directory within, unless that is "".
func runTraced(within string, args []string, verdict func(faults.Call) faults.Verdict) {
	program, err := exec.LookPath(args[0])
	if err != nil {
		fail(err)
	}
	r, err := faults.Run(faults.Command{Args: append([]string{program}, args[1:]...), Env: os.Environ(), Within: within}, verdict)
	if err != nil {
		fail(err)
	}
	fmt.Print(r.Stdout)
	fmt.Fprint(os.Stderr, r.Stderr)
	os.Exit(r.Status)
}
