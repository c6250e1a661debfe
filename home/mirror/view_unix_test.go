//go:build unix

package mirror

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/account"
	"swop/account/store"
	"swop/config"
	"swop/config/file"
	"swop/internal/testhome"
)

// What is projected must not contain itself, in whatever way HOME is written.
func TestHomeWithoutRoot(t *testing.T) {
	for _, tt := range []struct {
		name, home string // below the base, where "home" is the home and "link" leads to it
		root       string
	}{
		{"as it is", "home", "home/.swop"},
		{"slash at the end", "home/", "home/.swop"},
		{"two slashes", "home//", "home/.swop"},
		{"through a link", "link", "link/.swop"},
		{"through a link, the root not", "link", "home/.swop"},
		{"root of another name", "home", "home/accounts of swop"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := testStore(t)
			base := filepath.Dir(s.Home)
			testhome.Symlink(t, "home", filepath.Join(base, "link"))
			places, err := file.Locate(config.Env{"HOME=" + base + "/" + tt.home, "SWOP_ROOT=" + base + "/" + tt.root}, nil)
			if err != nil {
				t.Fatal(err)
			}
			s = store.Store{Layout: account.Layout{Places: places}}
			a := testAccountOf(t, s, "work")
			root, err := store.ReadRoot(s.Root)
			if err != nil {
				t.Fatal(err)
			}
			testhome.PutFile(t, filepath.Join(s.Home, "notes"), "x")
			reconcileHomes(t, s, a, root)
			entries, err := os.ReadDir(a.Home())
			for _, entry := range entries {
				if name := entry.Name(); name != "notes" && name != ".codex" {
					t.Errorf("the sandbox home has %s", name)
				}
			}
			if len(entries) != 2 || err != nil {
				t.Errorf("the sandbox home holds %v, %v", entries, err)
			}
			if err := os.Remove(filepath.Join(s.Home, "notes")); err != nil {
				t.Fatal(err)
			}
			reconcileHomes(t, s, a, root)
			if target, err := os.Readlink(filepath.Join(a.Home(), "notes")); err == nil {
				t.Errorf("the link to %s outlives what it led to", target)
			}
		})
	}
}

// reconcileHomes repairs a sandbox in which a program may still run, and returns what was said.
func reconcileHomes(t *testing.T, s store.Store, a account.Account, root account.Root) string {
	t.Helper()
	var said []string
	err := Reconcile(s, a, root, config.Settings{Isolation: config.IsolateHome}, Options{}, func(line string) { said = append(said, line) })
	if err != nil {
		t.Fatalf("Reconcile failed: %v", err)
	}
	return strings.Join(said, "\n")
}
