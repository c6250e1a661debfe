package swop_test

import (
	"fmt"
	"os"
	"strconv"

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
	r, err := faults.Run(faults.Command{Args: os.Args[2:], Env: os.Environ()}, func(c faults.Call) faults.Verdict {
		return faults.Verdict{Kill: c.Change == n}
	})
	if err != nil {
		fail(err)
	}
	fmt.Print(r.Stdout)
	fmt.Fprint(os.Stderr, r.Stderr)
	os.Exit(r.Status)
}
