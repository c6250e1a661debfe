package swop_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"swop/faults"
)

// becomeTraced must come first in TestMain: see [faults.Helper].
func becomeTraced() { faults.Helper() }

// killAtMain is the program "killat": it runs a command and kills it, with all its children, before the N-th call by which any of them
// changes a file, counted from 0. Its exit status is the command's.
//
//	killat N command…
func killAtMain() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fail(err)
	}
	runTraced(os.Args[2:], func(c faults.Call) faults.Verdict { return faults.Verdict{Kill: c.Change == n} })
}

// failAtMain is the program "failat": it runs a command and lets every call of the name fail whose file's path ends so.
//
//	failat ERRNO CALL PATH command…
func failAtMain() {
	errno, name, path := errnoCalled(os.Args[1]), os.Args[2], os.Args[3]
	runTraced(os.Args[4:], func(c faults.Call) faults.Verdict {
		if c.Name == name && strings.HasSuffix(c.Paths[0], path) {
			return faults.Verdict{Error: errno}
		}
		return faults.Verdict{}
	})
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

func runTraced(args []string, verdict func(faults.Call) faults.Verdict) {
	program, err := exec.LookPath(args[0])
	if err != nil {
		fail(err)
	}
	r, err := faults.Run(faults.Command{Args: append([]string{program}, args[1:]...), Env: os.Environ(), Within: filepath.Dir(os.Getenv("HOME"))}, verdict)
	if err != nil {
		fail(err)
	}
	fmt.Print(r.Stdout)
	fmt.Fprint(os.Stderr, r.Stderr)
	os.Exit(r.Status)
}
