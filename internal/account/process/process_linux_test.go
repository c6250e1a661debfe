package process

import (
	"errors"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

func TestParseStat(t *testing.T) {
	rest := " S 10 20 30 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 4711 1000 10"
	for _, name := range []string{"codex", "a) S 1 (b", "line\nbreak", ""} {
		got, err := parseStat(7, "7 ("+name+")"+rest)
		want := Process{PID: 7, Command: name, parent: 10, session: 30, start: 4711}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("parseStat of %q = %+v, %v, want %+v", name, got, err, want)
		}
	}
	for _, text := range []string{"", "7 (codex) S 1", ") (", "7 (codex) S x 20 30 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 4711"} {
		if got, err := parseStat(7, text); err == nil {
			t.Errorf("parseStat(%q) = %+v, want an error", text, got)
		}
	}
	if _, err := parseStat(7, "7 (codex) Z"+rest[2:]); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("parseStat of a zombie: %v, want %v", err, os.ErrProcessDone)
	}
}

// TestHugeEnvironment lets this process say that its environment is a great many NULs (struct prctl_mm_map, prctl(2)).
func TestHugeEnvironment(t *testing.T) {
	zeros, err1 := unix.Mmap(-1, 0, 1<<28, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANON)
	stat, err2 := os.ReadFile("/proc/self/stat")
	at := uint64(uintptr(unsafe.Pointer(&zeros[0])))
	said := [13]uint64{9: at, 10: at + 1<<28 - 1, 12: 0xffffffff << 32}
	for i, field := range []int{26, 27, 45, 46, 47, 47, 28, 48, 49} {
		said[i], _ = strconv.ParseUint(strings.Fields(string(stat))[field-1], 10, 64)
	}
	err3 := unix.Prctl(unix.PR_SET_MM, unix.PR_SET_MM_MAP, uintptr(unsafe.Pointer(&said)), unsafe.Sizeof(said), 0)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err4 := readProcess(os.Getpid())
	runtime.ReadMemStats(&after)
	if err := errors.Join(err1, err2, err3, err4); err != nil || after.TotalAlloc-before.TotalAlloc > 1<<26 {
		t.Errorf("it takes %d bytes: %v", after.TotalAlloc-before.TotalAlloc, err)
	}
}

// A survey that was taken while pids were reused can make a process its own ancestor.
func TestAncestorsInARing(t *testing.T) {
	s := Survey{1: {PID: 1, parent: 3}, 2: {PID: 2, parent: 1}, 3: {PID: 3, parent: 2}}
	if got := len(s.ancestors(2)); got != 2 {
		t.Errorf("%d ancestors, want 2", got)
	}
}
