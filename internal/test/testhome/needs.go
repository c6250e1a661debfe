package testhome

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"swop/internal/test/testprogram"
)

// A Suite is all tests of a package that start programs which not every machine has.
type Suite struct {
	Tests    interface{ Run() int } // a *testing.M
	Programs []string               // those that its tests call Needs for
}

// suite is that of the running tests.
var suite Suite

// Run runs the tests and returns the exit status. If programs are missing, it runs none, and names all of them at once; with -run only
// the tests that need them fail.
func (s Suite) Run() int {
	flag.Parse()
	suite = s
	missing := slices.DeleteFunc(slices.Clone(s.Programs), func(name string) bool { return leftOut(name) || testprogram.Found(name) })
	if len(missing) == 0 || flag.Lookup("test.run").Value.String() != "" {
		return s.Tests.Run()
	}
	fmt.Fprintln(os.Stderr, missingError(missing))
	return 1
}

// missingError is the error of tests that cannot be run.
type missingError []string

func (e missingError) Error() string {
	return "These programs are missing, and tests of this package need them: " + strings.Join(e, " ") + `
  ./test.sh            runs what can be run without them
  ./test.sh --install  installs them first`
}

// Needs skips the test if one of the programs is to be left out, see [testprogram.LeftOut]. The package's [Suite] names all of them.
func Needs(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		switch left, err := IsLeftOut(name); {
		case err != nil:
			t.Fatal(err)
		case left:
			t.Skip("left out: needs " + name) // ./test.sh counts these
		}
	}
}

// IsLeftOut reports whether tests do without the program. It is an error if the package's [Suite] does not name it, or if it is missing.
func IsLeftOut(name string) (bool, error) {
	switch {
	case !slices.Contains(suite.Programs, name):
		return false, fmt.Errorf("TestMain of this package does not say that its tests need %q", name)
	case leftOut(name):
		return true, nil
	case !testprogram.Found(name):
		return false, missingError{name}
	}
	return false, nil
}

// Repeats reports whether tests try what repeats what others show, see [testprogram.Repeats].
func Repeats() bool { return !leftOut(testprogram.Repeats) }

// leftOut reports whether tests do without the program: because they are told to, or because no test here starts it.
func leftOut(name string) bool {
	isNamed := func(p testprogram.Program) bool { return p.Name == name }
	if name != testprogram.Codex && name != testprogram.Repeats && !slices.ContainsFunc(testprogram.All(runtime.GOOS), isNamed) {
		return true
	}
	without, set := testprogram.Without()
	if set {
		return slices.Contains(without, name)
	}
	return testing.Short()
}
