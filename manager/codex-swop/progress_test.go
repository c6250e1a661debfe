//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"swop/config"
	"swop/manager"
	"swop/shim"
)

func TestToLink(t *testing.T) {
	dir := t.TempDir()
	home, shared := filepath.Join(dir, "home"), filepath.Join(dir, "codex")
	account := manager.Account{Key: "work", Dir: filepath.Join(dir, "work")}
	for where, n := range map[string]int{home: 7, shared: 50, account.Home(): 2, account.CodexHome(): 4} {
		if err := os.MkdirAll(where, 0o700); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if err := os.WriteFile(filepath.Join(where, fmt.Sprint(i)), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	s := scene{Scene: shim.Scene{Places: config.Places{Home: home}, Root: manager.Root{SharedHome: manager.SharedHome{Path: shared}}}}
	for isolation, want := range map[string]int{config.IsolateHome: 46 + 4, config.IsolateCodexHome: 46} {
		s.settings.Isolation = isolation
		if got := s.toLink(account); got != want {
			t.Errorf("with isolation %q there are %d entries to link, want %d", isolation, got, want)
		}
	}
	if err := os.RemoveAll(shared); err != nil {
		t.Fatal(err)
	}
	if got := s.toLink(account); got < 0 || got > 4 {
		t.Errorf("without a shared home there are %d entries to link", got)
	}
}
