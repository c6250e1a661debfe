//go:build unix

package manager

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// FuzzHead reads the first part of a stamp: what is taken for one is written as it was read.
func FuzzHead(f *testing.F) {
	var b [headSize]byte
	(&head{}).put(&b)
	f.Add(b[:])
	(&head{at: timespec(1, 2), dev: 3, inputs: 4, kept: mark{dev: 5}, paired: seen{Ino: 6}, watches: maxMarks}).put(&b)
	f.Add(b[:])
	f.Add(b[:headSize-1])
	f.Add(bytes.Repeat([]byte{0xff}, headSize))
	f.Add([]byte(stampMagic))
	f.Fuzz(func(t *testing.T, text []byte) {
		if h, ok := parseHead(text); ok {
			var again [headSize]byte
			if h.put(&again); !bytes.Equal(again[:], text[:headSize]) {
				t.Errorf("%x is written %x", text[:headSize], again)
			}
		}
		// a sum that is right lets anything behind it be read
		whole := make([]byte, headSize)
		copy(whole[copy(whole, stampMagic)+8:], text)
		rest := whole[len(stampMagic)+8:]
		putSum(whole, sumOf(rest))
		if h, ok := parseHead(whole); ok && (h.watches < 0 || h.watches > maxMarks) {
			t.Errorf("%x watches %d directories", whole, h.watches)
		}
	})
}

func putSum(b []byte, sum uint64) {
	for i := range 8 {
		b[len(stampMagic)+i] = byte(sum >> (8 * i))
	}
}

// FuzzStamp has any memory, and any file "kept": an account is reconciled all the same, or refused, nothing of it is lost, and its login
// stays its own.
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
		noError(t, err)
		defer os.RemoveAll(dir)
		w := newWorld(t, dir, "a", "b")
		a := w.accounts["a"]
		noError(t, errors.Join(writeStamp(a, head{at: timespec(1<<40, 0)}, body), os.WriteFile(keptFile(a), kept, 0o600)))
		for file, text := range map[string]string{
			w.codex("a") + "/auth.json": "login of a", w.codex("b") + "/auth.json": "login of b", w.codex("a") + "/notes": "kept 1", w.shared + "/notes": "kept 2",
			w.codex("a") + "/new": "kept 3", w.shared + "/.credentials.json": "kept 4", w.codex("a") + "/x.sqlite": "kept 5",
		} {
			putText(t, file, text)
		}
		if err := w.reconcile("a", silent); err == nil {
			err = w.reconcile("b", silent)
			noError(t, err)
		}
		for key, login := range map[string]string{"a": "login of a", "b": "login of b"} {
			if got := textOf(filepath.Join(w.codex(key), "auth.json")); got != login {
				t.Errorf("the login of %s is %q", key, got)
			}
		}
		if holdsText("login of", w.home) || holdsText("login of", w.displaced()) {
			t.Error("a login is shared or displaced")
		}
		for _, text := range []string{"kept 1", "kept 2", "kept 3", "kept 4", "kept 5"} {
			if !holdsText(text, w.home, w.store.Root) {
				t.Errorf("%q is lost", text)
			}
		}
		recorded, err := readKept(a)
		if err != nil {
			return
		}
		noError(t, writeKept(a, recorded))
		if again, err := readKept(a); err != nil || !reflect.DeepEqual(again, recorded) {
			t.Errorf("kept %v comes back as %v, %v", recorded, again, err)
		}
	})
}
