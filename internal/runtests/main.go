// Command runtests is ./test.sh: it runs the tests with what this machine has, and counts. See: ./test.sh --help
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"swop/internal/testprogram"
)

const usage = `usage: ./test.sh [--install | --require] [-short] [GO TEST ARGUMENTS…]

Runs all tests, or those that the arguments of go test choose: ./test.sh ./config/... -run TestLabel -v is one of its forms.
A test that needs a program which this machine does not have is left out and counted.

  --install   install missing programs first, with apt, dnf or brew
  --require   fail if a program is missing
  -short      leave out the real codex, which is fetched from npm, and most of the points of long searches
  --help      print this text

Needs Go, git and bash. The real codex needs node and npm; its releases take 1 GB, once, in the directory that SWOP_TEST_CODEX_CACHE
names, else in the user's cache directory.
`

// A choice is what the command line asks for.
type choice struct {
	install, require, short, help bool
	rest                          []string // for go test
}

// parse splits the arguments into those of ./test.sh and those of go test, which come after them.
func parse(args []string) choice {
	var c choice
	own := map[string]*bool{"--install": &c.install, "--require": &c.require, "-short": &c.short, "--short": &c.short, "-h": &c.help, "--help": &c.help}
	for len(args) > 0 && own[args[0]] != nil {
		*own[args[0]], args = true, args[1:]
	}
	c.rest = args
	return c
}

// longest are the packages whose tests take longest. They begin first, so that in the end no processor waits for one of them.
var longest = []string{"./e2e", "./manager/projection", "./oracle"}

// command returns the arguments of go. Results are not cached, since go would look at each file that a test has opened, which takes more than a
// minute after millions; many tests wait for other programs, so one package more runs than there are processors.
func (c choice) command() []string {
	args := []string{"test", "-json", "-timeout", "40m", "-count=1", "-p", strconv.Itoa(runtime.NumCPU() + 1)}
	if c.short {
		args = append(args, "-short")
	}
	args = append(args, c.rest...)
	if !slices.ContainsFunc(c.rest, isPackage) {
		args = append(args, longest...)
		args = append(args, "./...")
	}
	return args
}

// isPackage reports whether an argument names packages.
func isPackage(arg string) bool {
	return arg == "." || arg == "swop" || strings.HasPrefix(arg, "./") || strings.HasPrefix(arg, "swop/")
}

func main() {
	os.Exit(run(parse(os.Args[1:])))
}

func run(c choice) int {
	if c.help {
		fmt.Print(usage)
		return 0
	}
	missing := missingHere()
	if c.install && len(missing) > 0 {
		if err := install(missing); err != nil {
			fmt.Fprintln(os.Stderr, "test.sh:", err)
			return 1
		}
		missing = missingHere()
	}
	fmt.Print(announcement(missing))
	if c.require && len(missing) > 0 {
		return 1
	}
	return test(c, withoutOf(c, missing))
}

// missingHere returns the programs that tests on this system start and that it does not have.
func missingHere() []testprogram.Program {
	return slices.DeleteFunc(testprogram.All(runtime.GOOS), func(p testprogram.Program) bool { return testprogram.Found(p.Name) })
}

// announcement says what is missing, in one block that is empty if nothing is.
func announcement(missing []testprogram.Program) string {
	if len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf("These programs are missing: %s\nTests that need them are left out. To install them first: ./test.sh --install\n\n", strings.Join(names(missing), " "))
}

func names(list []testprogram.Program) []string {
	var out []string
	for _, p := range list {
		out = append(out, p.Name)
	}
	return out
}

// withoutOf returns what the tests leave out: what is missing, and what the caller names.
func withoutOf(c choice, missing []testprogram.Program) []string {
	out, _ := testprogram.Without()
	out = append(out, names(missing)...)
	if c.short || slices.Contains(out, "node") || slices.Contains(out, "npm") {
		out = append(out, testprogram.Codex)
	}
	return out
}

// test runs go test, passes on what a reader needs of its output, and ends with the counts.
func test(c choice, without []string) int {
	began := time.Now()
	cmd := exec.Command("go", c.command()...)
	cmd.Env = append(os.Environ(), testprogram.LeftOut+"="+strings.Join(without, " "))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "test.sh:", err)
		return 1
	}
	n := newCounts(os.Stdout)
	err = errors.Join(n.read(out), drain(out), cmd.Wait())
	fmt.Print(n.summary(time.Since(began)))
	if err == nil && n.failed+len(n.unasked) == 0 {
		return 0
	}
	return 1
}

// drain reads the rest, so that go test can end.
func drain(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}
