package testhome

import (
	"hash/fnv"
	"testing"

	"swop/internal/test/testfile"
)

// Points returns which of a test's numbered points are tried: the first one, and the distance to the next. That is every point, but with
// -short only every n-th, from one that the test's name chooses, so that tests which count the same points try different ones.
func Points(t testing.TB, n int) (first, step int) {
	if !testing.Short() {
		return 0, 1
	}
	name := fnv.New32a()
	_, _ = name.Write([]byte(t.Name())) // a hash takes everything
	return int(name.Sum32() % uint32(n)), n
}

// NotShort skips the rest of the test with -short: what takes long is left out. What needs a program calls [Needs].
func NotShort(t testing.TB, what string) {
	t.Helper()
	if testing.Short() {
		t.Skipf("left out: %s, with -short", what)
	}
}

// NoError is [testfile.NoError].
func NoError(t testing.TB, err error) {
	t.Helper()
	testfile.NoError(t, err)
}
