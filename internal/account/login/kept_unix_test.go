//go:build unix

package login

import (
	"os"
	"path/filepath"
	"testing"

	"swop/internal/account"
	"swop/internal/test/testhome"
)

// A login that was kept for the time of another one comes back, or gives way to a newer one.
func TestKept(t *testing.T) {
	for _, tt := range []struct {
		name       string
		auth, kept string // before: "-" for none
		act        func(a account.Account) error
		want, left string // afterwards
	}{
		{"codex made none", "-", "old", settle, "old", "-"},
		{"codex was killed and left an empty one", "", "old", settle, "old", "-"},
		{"codex made another one", "new", "old", settle, "new", "-"},
		{"nothing was kept", "new", "-", settle, "new", "-"},
		{"kept", "new", "-", keep, "-", "new"},
		{"kept beside one of a killed run", "new", "old", keep, "-", "new"},
		{"an empty one beside one of a killed run", "", "old", keep, "-", "old"},
		{"none to keep", "-", "-", keep, "-", "-"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := account.Account{Key: "work", Dir: testhome.Scratch(t)}
			testhome.NoError(t, os.MkdirAll(a.CodexHome(), 0o700))
			files := []string{a.AuthFile(), filepath.Join(a.Dir, keptName)}
			for n, text := range []string{tt.auth, tt.kept} {
				if text != "-" {
					testhome.PutText(t, files[n], text)
				}
			}
			testhome.NoError(t, tt.act(a))
			for n, want := range []string{tt.want, tt.left} {
				if there := testhome.Exists(files[n]); there != (want != "-") || there && testhome.TextOf(files[n]) != want {
					t.Errorf("%s is %q, want %q", filepath.Base(files[n]), testhome.TextOf(files[n]), want)
				}
			}
		})
	}
}

func settle(a account.Account) error {
	_, err := Settle(a)
	return err
}

func keep(a account.Account) error {
	f, err := Keep(a)
	if f != nil {
		err = f.Close()
	}
	return err
}
