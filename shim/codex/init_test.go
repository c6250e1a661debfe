package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"testing"
)

// What the packages of the shim allocate before its main begins is paid for on every call of codex. It was 1,552 bytes when this was
// written, about what a program that only execs has.
const maxInitBytes = 1700

func buildShim(t *testing.T) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "codex")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

func TestInitAllocatesLittle(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // the shim does nothing there
	}
	program := buildShim(t)
	run := exec.Command(program)                                              // what arguments need is their own
	run.Env = []string{"HOME=" + t.TempDir(), "PATH=", "GODEBUG=inittrace=1"} // there is no codex: it ends at once
	var trace bytes.Buffer
	run.Stderr = &trace
	if err := run.Run(); err == nil {
		t.Fatal("codex runs with an empty PATH")
	}
	total, packages := 0, 0
	for _, m := range regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, \d+ allocs$`).FindAllSubmatch(trace.Bytes(), -1) {
		n, err := strconv.Atoi(string(m[2]))
		if err != nil {
			t.Fatal(err)
		}
		total += n
		packages++
	}
	if packages < 5 {
		t.Fatalf("inittrace lists %d packages:\n%s", packages, &trace)
	}
	t.Logf("%d packages allocate %d bytes", packages, total)
	if total > maxInitBytes {
		t.Errorf("the initialisation of packages allocates %d bytes, at most %d are allowed:\n%s", total, maxInitBytes, &trace)
	}
}

// What prints times, with the zones of the world, would be mapped at every start. The linker keeps it as soon as an interface may hold a
// time.Time, in a field of a field too: see account.Time and disk.IsDir.
func TestShimPrintsNoTimes(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // the shim does nothing there
	}
	list := exec.Command("go", "tool", "nm", buildShim(t))
	out, err := list.Output()
	if err != nil || !bytes.Contains(out, []byte(" T main.main\n")) {
		t.Fatalf("%v: %v\n%s", list.Args, err, out)
	}
	if bytes.Contains(out, []byte(" T time.Time.Format\n")) {
		t.Error("the shim links time.Time.Format")
	}
}
