//go:build unix

package session

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/disk"
	"swop/internal/test/testfile"
	"swop/internal/test/testhome"
)

// A login is in one place after it was moved, also by several starts at once, or could not be. Directories that cannot be written are the
// superuser's too: those rows are for ordinary users.
func TestPlaceLogin(t *testing.T) {
	const inside, beside, made, planted = "home/.codex/auth.json", "login/auth.json", account.ApartDir + "/auth.json", `{"OPENAI_API_KEY":"planted"}`
	const key, standIn = `{"OPENAI_API_KEY":"key"}`, `{"OPENAI_API_KEY":"` + login.StandInKey + `A"}`
	type files map[string]string
	for name, tt := range map[string]struct {
		bridged       bool
		before, after files
		closed        string // a directory that cannot be written
		link          string // what the codex home is a link to
		loop, fails   bool   // the home is a link to itself
	}{
		"to be bridged":                   {bridged: true, before: files{inside: key}, after: files{beside: key}},
		"to be bridged, killed before":    {bridged: true, before: files{made: key}, after: files{beside: key}},
		"bridged, and a file planted":     {bridged: true, before: files{inside: planted, beside: key}, after: files{inside: planted, beside: key}},
		"bridged, and logged out":         {bridged: true, before: files{inside: standIn}, after: files{inside: standIn}},
		"no longer bridged":               {before: files{inside: standIn, beside: key}, after: files{inside: key}},
		"not to be bridged, killed":       {before: files{made: key}, after: files{inside: key}},
		"no longer bridged, killed":       {before: files{beside: key}, after: files{inside: key}},
		"no longer bridged, logged out":   {before: files{inside: standIn, "login/x": ""}, after: files{}},
		"no longer bridged, and led back": {before: files{beside: key}, after: files{inside: key, beside: key}, link: "../login", fails: true},
		"not to be seen":                  {bridged: true, loop: true, fails: true},
		"not to be moved out":             {bridged: true, before: files{inside: key}, after: files{inside: key}, closed: "home/.codex", fails: true},
		"not to be moved in":              {before: files{beside: key}, after: files{beside: key}, closed: "home/.codex", fails: true},
		"nowhere to be moved":             {bridged: true, before: files{inside: key}, after: files{inside: key}, closed: ".", fails: true},
	} {
		if tt.closed != "" && os.Geteuid() == 0 {
			continue
		}
		a := account.Account{Key: "a", Dir: testfile.OwnDir(t), Meta: account.Meta{Confine: "workspace-write"}}
		at := func(file string) string { return filepath.Join(a.Dir, file) }
		if tt.loop {
			testfile.Symlink(t, "home", a.Home())
		} else {
			testhome.NoError(t, os.MkdirAll(a.CodexHome(), 0o700))
		}
		for file, text := range tt.before {
			testhome.NoError(t, os.MkdirAll(filepath.Dir(at(file)), 0o700))
			testfile.Put(t, at(file), text, 0o600)
		}
		if tt.link != "" {
			testhome.NoError(t, os.Remove(a.CodexHome()))
			testfile.Symlink(t, tt.link, a.CodexHome())
		}
		if tt.link == "" {
			_ = os.Link(at(inside), at("home/name")) // a session's
		}
		if tt.closed != "" {
			testfile.Chmod(t, at(tt.closed), 0o500)
		}
		done := make(chan error)
		for range 3 {
			go func() {
				_, err := login.EndChange(a) // as each start
				done <- errors.Join(err, placeLogin(a, tt.bridged))
			}()
		}
		if err := errors.Join(<-done, <-done, <-done); (err != nil) != tt.fails {
			t.Errorf("%s: placeLogin = %v", name, err)
		}
		testfile.Chmod(t, at(tt.closed), 0o700)
		if disk.SameFile(at(beside), at("home/name")) {
			t.Errorf("%s: a session has a name of the login", name)
		}
		after := files{}
		for _, file := range []string{inside, beside, made} {
			if text, err := os.ReadFile(at(file)); err == nil {
				after[file] = string(text)
			}
		}
		if lost := tt.before[inside] == key && !login.HoldsLogin(a); lost || !maps.Equal(after, tt.after) {
			t.Errorf("%s: the files are then %q, want %q; the account has lost its login: %t", name, after, tt.after, lost)
		}
	}
}
