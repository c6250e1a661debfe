//go:build unix

package mirror

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"golang.org/x/sys/unix"

	"swop/home/pinned"
	"swop/home/rules"
	"swop/internal/testhome"
)

// FuzzStamp reconciles an account with any baseline and any file "pinned". It is reconciled all the same, or refused; nothing of it is lost,
// and its login stays its own.
func FuzzStamp(f *testing.F) {
	kepts := []string{"", "codex \"notes\"\n", "codex private \"*\"\n", "codex \"\x1b[31m\"\nhome private \"[\"\n", "\x00\n\n", "codex private \"auth.json", "codex notes"}
	for i, seed := range []string{
		"", "{}", "null", `{"Version":2,"Views":{"codex":null}}`, `{"Version":2,"Views":{"codex":{"Waiting":{"\"notes\"":{}},"Links":{"\"notes\"":1,"x":2}}}}`,
		`{"Version":2,"Views":{"codex":{"Paired":{"\".credentials.json\"":{"Dev":1,"Ino":2,"Size":-1}},"Placed":{"\"config.toml\"":{}}}}}`,
		`{"Version":2,"Views":{"home":{},"codex":{"Links":{"\"auth.json\"":18446744073709551615}}}}`, `{"Version":1e999}`, `{"Version":2,"Views":[[[[`,
	} {
		f.Add([]byte(seed), []byte(kepts[i%len(kepts)]))
	}
	f.Fuzz(func(t *testing.T, body, kept []byte) {
		dir, err := os.MkdirTemp("/dev/shm", "stamp")
		if err != nil {
			dir, err = t.TempDir(), nil
		}
		testhome.NoError(t, err)
		defer os.RemoveAll(dir)
		w := newWorld(t, dir, "a", "b")
		a := w.accounts["a"]
		testhome.NoError(t, errors.Join(rules.WriteStamp(a, rules.Header{At: unix.Timespec{Sec: 1 << 40}}, body), os.WriteFile(rules.PinnedFile(a.Dir), kept, 0o600)))
		for file, text := range map[string]string{
			w.codex("a") + "/auth.json": "login of a", w.codex("b") + "/auth.json": "login of b", w.codex("a") + "/notes": "kept 1", w.shared + "/notes": "kept 2",
			w.codex("a") + "/new": "kept 3", w.shared + "/.credentials.json": "kept 4", w.codex("a") + "/x.sqlite": "kept 5",
		} {
			testhome.PutText(t, file, text)
		}
		if err := w.reconcile("a", noProcesses); err == nil {
			err = w.reconcile("b", noProcesses)
			testhome.NoError(t, err)
		}
		for key, login := range map[string]string{"a": "login of a", "b": "login of b"} {
			if got := testhome.TextOf(filepath.Join(w.codex(key), "auth.json")); got != login {
				t.Errorf("the login of %s is %q", key, got)
			}
		}
		if testhome.HoldsText("login of", w.home) || testhome.HoldsText("login of", w.kept()) {
			t.Error("a login is shared or kept")
		}
		for _, text := range []string{"kept 1", "kept 2", "kept 3", "kept 4", "kept 5"} {
			if !testhome.HoldsText(text, w.home, w.store.Root) {
				t.Errorf("%q is lost", text)
			}
		}
		recorded, err := pinned.Read(a)
		if err != nil {
			return
		}
		testhome.NoError(t, recorded.Write(a))
		if again, err := pinned.Read(a); err != nil || !reflect.DeepEqual(again, recorded) {
			t.Errorf("the recorded %v comes back as %v, %v", recorded, again, err)
		}
	})
}
