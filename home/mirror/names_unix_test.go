//go:build unix

package mirror

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/disk"
	"swop/internal/testhome"
)

// oddNames are names that a user may give a file. The last one looks like one of ours.
var oddNames = []string{
	"-", "--help", "...", ". ", " ", "\n", "a\nb", "\x01", "\xff\xfe", "a\xffb", "caf\u00e9", "cafe\u0301", `"`, `\`, `a"b\nc`, "*", "[", "[a", "?",
	strings.Repeat("n", 255), strings.Repeat("n", 254), strings.Repeat("m", 221), strings.Repeat("m", 220), strings.Repeat("\xff", 255),
	disk.CopyPrefix + strings.Repeat("A", disk.RandomLength),
}

// TestEngineNames takes each name through all that can happen to a file: adopted, replaced, changed on both sides, renamed over.
func TestEngineNames(t *testing.T) {
	for _, name := range oddNames {
		t.Run(asText(name), func(t *testing.T) {
			w := newWorld(t, testhome.Scratch(t), "a", "b")
			own, shared := filepath.Join(w.codex("a"), name), filepath.Join(w.shared, name)
			testhome.PutText(t, own, "first")
			wantHeld(t, w, "first")
			testhome.Tick(t)
			testhome.NoError(t, w.reconcile("a", noProcesses))
			testhome.Tick(t)
			testhome.NoError(t, os.Remove(own))
			testhome.PutText(t, own, "second")
			wantHeld(t, w, "second")
			for i := range 3 { // three conflicts in one second
				testhome.NoError(t, os.Remove(own))
				testhome.PutText(t, own, "own "+string(rune('0'+i)))
				replaceByCreate(t, shared, "shared "+string(rune('0'+i)))
				wantHeld(t, w, "own "+string(rune('0'+i)), "shared "+string(rune('0'+i)))
			}
			if got, target := testhome.TextOf(filepath.Join(w.codex("b"), name)), shared; got != testhome.TextOf(target) {
				t.Errorf("b sees %q, want %q", got, testhome.TextOf(target))
			}
		})
	}
}

// replaceByCreate writes a new file in place of file, whose name may be too long for a temporary one.
func replaceByCreate(t testing.TB, file, text string) {
	t.Helper()
	testhome.NoError(t, os.Remove(file))
	testhome.PutText(t, file, text)
}

func wantHeld(t testing.TB, w *testWorld, texts ...string) {
	t.Helper()
	if err := w.settle(); err != nil {
		t.Errorf("settle failed: %v", err)
	}
	for _, text := range texts {
		if !testhome.HoldsText(text, w.home, w.store.Root) {
			t.Errorf("%q is lost", text)
		}
	}
}

func asText(name string) string {
	if len(name) > 60 {
		return name[:10] + "…" + name[len(name)-2:]
	}
	return name
}

// TestEngineNamesDirectories does the same with directories, and with a rename over an adopted temporary file.
func TestEngineNamesDirectories(t *testing.T) {
	for _, name := range oddNames {
		t.Run(asText(name), func(t *testing.T) {
			w := newWorld(t, testhome.Scratch(t), "a", "b")
			own, shared := filepath.Join(w.codex("a"), name), filepath.Join(w.shared, name)
			testhome.NoError(t, os.Mkdir(own, 0o700))
			testhome.PutText(t, filepath.Join(own, "file"), "first")
			wantHeld(t, w, "first")
			testhome.NoError(t, os.Remove(own))
			testhome.NoError(t, os.Mkdir(own, 0o700))
			testhome.PutText(t, filepath.Join(own, "file"), "second")
			wantHeld(t, w, "first", "second")
			testhome.NoError(t, os.RemoveAll(shared))
			wantHeld(t, w, "second")
			testhome.PutText(t, filepath.Join(w.codex("a"), "tmp1"), "third")
			wantHeld(t, w, "third")
			testhome.NoError(t, os.Rename(filepath.Join(w.codex("a"), "tmp1"), own))
			wantHeld(t, w, "third")
			if got := testhome.TextOf(shared); got != "third" {
				t.Errorf("the shared entry is %q, want the renamed one", got)
			}
		})
	}
}
