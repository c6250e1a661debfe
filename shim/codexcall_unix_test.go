//go:build unix

package shim

import (
	"io"
	"reflect"
	"slices"
	"testing"
	"time"

	"swop/config"
	"swop/internal/account"
)

func TestCodexCall(t *testing.T) {
	for _, tt := range []struct {
		line string
		want account.CodexCall
	}{
		{"", account.CodexCall{}},
		{"-c a=b exec -c c=d hi", account.CodexCall{Overrides: []string{"a=b", "c=d"}}},
		{"--config=a=b --config c=d -ce=f -c=g=h", account.CodexCall{Overrides: []string{"a=b", "c=d", "e=f", "g=h"}}},
		{"-p one --profile two --profile=three -pfour", account.CodexCall{Profiles: []string{"one", "two", "three", "four"}}},
		{"-C a exec -C=b", account.CodexCall{Dir: "b"}},
		{"-C==a", account.CodexCall{Dir: "=a"}},
		{"exec -- -c a=b", account.CodexCall{}},
		{"sandbox -c a=b -P p -C d git -c e=f -C g", account.CodexCall{Overrides: []string{"a=b"}, Dir: "d"}},
		{"sandbox linux --permissions-profile p git -C g", account.CodexCall{}},
		{"sandbox -- git -C g", account.CodexCall{}},
		{"-C d sandbox -C", account.CodexCall{Dir: "d"}},
		{"-c", account.CodexCall{}},
		{"-c -c", account.CodexCall{Overrides: []string{"-c"}}},
	} {
		if got := codexCall(words(tt.line)); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("codexCall(%q) = %+v, want %+v", tt.line, got, tt.want)
		}
	}
}

// Whatever the arguments are, they are read without a panic, and codex gets them unchanged.
func FuzzArguments(f *testing.F) {
	for _, line := range []string{
		"", "exec -C", "-C= -c --cd=x", "-c -- --cd y", "sandbox -- -C z", "sandbox -C", "sandbox linux -i", "-i a b -- c", "login status", "update", "-\xff \x00",
	} {
		f.Add(line)
	}
	base := f.TempDir()
	real := bin(f, base, "real")
	f.Fuzz(func(t *testing.T, line string) {
		args := words(line)
		c := Call{
			Args: args, Env: config.Env{"HOME=" + base, "PATH=" + base + "/real"}, Stderr: io.Discard, Now: time.Now,
			Executable: func() (string, error) { return base + "/shim/codex", nil },
		}
		var d Decision
		if err := c.Decide(Fast(c.Now()), &d); err != nil {
			t.Fatalf("Decide(%q): %v", line, err)
		}
		_ = codexCall(args)
		if l, _ := d.launch(); l.Path != real || !slices.Equal(l.Args, words(line)) {
			t.Errorf("%q starts %s with %q", line, l.Path, l.Args)
		}
	})
}
