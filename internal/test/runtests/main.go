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

	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/testbuild"
	"swop/internal/test/testprogram"
)

const usage = `usage: ./test.sh [--install] [--require] [--repeats] [-short] [GO TEST ARGUMENTS…]

Runs all tests, or those that the arguments of go test choose, for example: ./test.sh ./config/... -run TestLabel -v
Takes 3 to 20 minutes, with -short 1 to 4. Ends with the names of the tests that failed.
A test that needs a program which this machine does not have is left out and counted.

  --install   install missing programs first, with apt, dnf or brew
  --require   fail if a program is missing
  --repeats   try also what repeats what others show, as .ci/run does: older releases of the real codex, more points of long searches,
              more programs of Windows, release archives
  -short      leave out the real codex, which is fetched from npm, programs of Windows, and most of the points of long searches
  --help      print this text

Needs Go, git, bash, find and xargs. The real codex needs node and npm; its releases take 2 GB, once, in the directory that
SWOP_TEST_CODEX_CACHE names, else in the user's cache directory.
`

// A choice is what the command line asks for.
type choice struct {
	install, require, repeats, short, help bool

	rest []string // for go test
}

// parse splits the arguments into those of ./test.sh, wherever they stand, with one dash or two, and those of go test, with one.
func parse(args []string) (choice, error) {
	var c choice
	own := map[string]*bool{
		"install": &c.install, "require": &c.require, "repeats": &c.repeats, "short": &c.short, "h": &c.help, "help": &c.help,
	}
	for i, arg := range args {
		name, isFlag := strings.CutPrefix(arg, "-")
		name = strings.TrimPrefix(name, "-")
		switch {
		case isFlag && name == "args":
			c.rest = append(c.rest, args[i:]...)
			return c, nil
		case isFlag && own[name] != nil:
			*own[name] = true
		case strings.HasPrefix(arg, "--"):
			return c, fmt.Errorf("unknown flag %s", arg)
		default:
			c.rest = append(c.rest, arg)
		}
	}
	return c, nil
}

// longest are the packages whose tests take longest, or wait for clocks. They begin first, so that in the end no processor waits for one of
// them.
var longest = []string{
	"./internal/test/script", "./internal/test/e2e", "./internal/test/wine", "./internal/test/faults", "./internal/confine",
	"./manager/codex-swop", "./internal/account/process", "./internal/home", "./internal/limits/usage", "./internal/bridge/...",
}

// command returns the arguments of go. Results are not cached, since go would look at each file that a test has opened, which takes more
// than a minute after millions; many tests wait for other programs, so three packages more run than there are processors, and two tests of
// each for one. It does not vet: .ci/run does.
func (c choice) command() []string {
	cpus := runtime.NumCPU()
	args := []string{
		"test", "-json", "-timeout", "40m", "-count=1", "-vet=off", "-p", strconv.Itoa(cpus + 3), "-parallel", strconv.Itoa(2 * cpus),
	}
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
	c, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "test.sh:", err)
		fmt.Fprintln(os.Stderr, "test.sh: hint: ./test.sh --help")
		os.Exit(2)
	}
	os.Exit(run(c))
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
	if needed := c.needed(missing); len(needed) > 0 {
		fmt.Fprintln(os.Stderr, "test.sh: these programs are missing:", strings.Join(names(needed), " "))
		if !c.install {
			fmt.Fprintln(os.Stderr, "test.sh: hint: ./test.sh --install")
		}
		return 1
	}
	without := withoutOf(c, missing)
	fmt.Print(announcement(missing), c.plan(without))
	return test(c, without)
}

// needed returns those of the missing programs without which no test is to run.
func (c choice) needed(missing []testprogram.Program) []testprogram.Program {
	return slices.DeleteFunc(slices.Clone(missing), func(p testprogram.Program) bool { return !c.require && !p.Always() })
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
	return fmt.Sprintf("These programs are missing: %s\nTests that need them are left out. To install them first: ./test.sh --install\n\n",
		strings.Join(names(missing), " "))
}

// plan says how long all tests take and what they fetch. It is empty if only some packages are tested.
func (c choice) plan(without []string) string {
	if slices.ContainsFunc(c.rest, isPackage) {
		return ""
	}
	long := "3 to 20 minutes"
	if c.short {
		long = "1 to 4 minutes"
	}
	plan := "All tests take " + long + ".\n"
	cache, err := realcodex.CacheDir()
	if n := len(realcodex.Missing(cache)); err == nil && n > 0 && !slices.Contains(without, testprogram.Codex) {
		plan += fmt.Sprintf("First they fetch %d releases of codex from npm, %d MB, and keep them in %s.\n", n, 100*n, cache)
	}
	return plan + "\n"
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
	if c.short {
		out = append(out, "wine")
	}
	if !c.repeats {
		out = append(out, testprogram.Repeats)
	}
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
	cmd.Stderr, cmd.SysProcAttr = os.Stderr, ownSession()
	if !slices.ContainsFunc(c.rest, isPackage) { // most packages need them
		dir, err := os.MkdirTemp("", "programs-")
		if err := errors.Join(err, testbuild.Programs(dir)); err != nil {
			fmt.Fprintln(os.Stderr, "test.sh:", err)
			return 1
		}
		defer os.RemoveAll(dir)
		cmd.Env = append(cmd.Env, testbuild.Built+"="+dir)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "test.sh:", err)
		return 1
	}
	passOnSignals(cmd.Process.Pid) // the end of go test is awaited, so that nothing stays behind
	n := newCounts(os.Stdout)
	err = n.read(out)
	_, left := io.Copy(io.Discard, out) // so that go test can end
	err = errors.Join(err, left, cmd.Wait())
	fmt.Print(n.summary(time.Since(began)))
	if err == nil && n.failed+len(n.unasked) == 0 {
		return 0
	}
	return 1
}
