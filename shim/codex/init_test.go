package main

import (
	"bytes"
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"testing"

	"swop/internal/test/testhome"
)

// What the packages of the shim allocate before its main begins is paid for on every call of codex. It was 1,552 bytes when this was
// written, about what a program that only execs has.
const maxInitBytes = 1700

func TestInitAllocatesLittle(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // the shim does nothing there
	}
	program := buildShim(t)
	least := math.MaxInt // of several runs: what the runtime allocates beside it at the same time is counted, too
	var trace []byte
	for range 10 {
		total, text := initBytes(t, program)
		if total < least {
			least, trace = total, text
		}
	}
	t.Logf("packages allocate %d bytes", least)
	if least > maxInitBytes {
		t.Errorf("the initialisation of packages allocates %d bytes, at most %d are allowed:\n%s", least, maxInitBytes, trace)
	}
}

// initBytes returns what the packages of the program allocate before its main begins, and how the runtime says it.
func initBytes(t *testing.T, program string) (total int, trace []byte) {
	t.Helper()
	run := exec.Command(program)                                              // what arguments need is their own
	run.Env = []string{"HOME=" + t.TempDir(), "PATH=", "GODEBUG=inittrace=1"} // there is no codex: it ends at once
	var stderr bytes.Buffer
	run.Stderr = &stderr
	if err := run.Run(); err == nil {
		t.Fatal("codex runs with an empty PATH")
	}
	lines := regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, \d+ allocs$`).FindAllSubmatch(stderr.Bytes(), -1)
	for _, line := range lines {
		n, err := strconv.Atoi(string(line[2]))
		testhome.NoError(t, err)
		total += n
	}
	if len(lines) < 5 {
		t.Fatalf("inittrace lists %d packages:\n%s", len(lines), &stderr)
	}
	return total, stderr.Bytes()
}

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
