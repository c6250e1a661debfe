package testhome

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"swop/internal/testprogram"
)

// A Suite is all tests of a package that start programs which not every machine has.
type Suite struct {
	Tests    interface{ Run() int } // a *testing.M
	Programs []string               // those that its tests call Needs for
}

// suite is that of the running tests.
var suite Suite

// Run runs the tests and returns the exit status. If programs are missing, it runs none, and names all of them at once.
func (s Suite) Run() int {
	flag.Parse()
	suite = s
	missing := slices.DeleteFunc(slices.Clone(s.Programs), func(name string) bool { return leftOut(name) || testprogram.Found(name) })
	if len(missing) == 0 {
		return s.Tests.Run()
	}
	fmt.Fprintf(os.Stderr, "These programs are missing, and tests of this package need them: %s\n"+
		"  ./test.sh            runs what can be run without them\n"+
		"  ./test.sh --install  installs them first\n", strings.Join(missing, " "))
	return 1
}

// Needs skips the test if one of the programs is to be left out, see [testprogram.LeftOut]. The package's [Suite] names all of them.
func Needs(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if !slices.Contains(suite.Programs, name) {
			t.Fatalf("TestMain of this package does not say that its tests need %q", name)
		}
		if leftOut(name) {
			t.Skip("left out: needs " + name) // ./test.sh counts these
		}
	}
}

// IsLeftOut reports whether tests do without the program. One that the package's [Suite] does not name is an error.
func IsLeftOut(name string) (bool, error) {
	if !slices.Contains(suite.Programs, name) {
		return false, fmt.Errorf("TestMain of this package does not say that its tests need %q", name)
	}
	return leftOut(name), nil
}

func leftOut(name string) bool {
	without, set := testprogram.Without()
	if set {
		return slices.Contains(without, name)
	}
	return testing.Short()
}
