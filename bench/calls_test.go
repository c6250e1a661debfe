//go:build linux

package main

import (
	"slices"
	"testing"
)

func TestJoinCalls(t *testing.T) {
	got := joinCalls(`7  openat(AT_FDCWD</h>, "/h/root.json", O_RDONLY <unfinished ...>
8  sched_getaffinity(0, 8192,  <unfinished ...>
7  <... openat resumed>)             = 5
7  fstat(5</h/root.json>, {st_size=1}) = 0
8  <... sched_getaffinity resumed>[0 1]) = 32
7  execve("/h/codex", ["codex"], 0x1 <unfinished ...>
8  +++ exited with 0 +++
7  <... execve resumed>)             = 0
`)
	want := []string{
		`openat(AT_FDCWD</h>, "/h/root.json", O_RDONLY )             = 5`,
		`sched_getaffinity(0, 8192,  [0 1]) = 32`,
		`fstat(5</h/root.json>, {st_size=1}) = 0`,
		`execve("/h/codex", ["codex"], 0x1 )             = 0`,
		`+++ exited with 0 +++`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("joinCalls = %q\nwant %q", got, want)
	}
}
