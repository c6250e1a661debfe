//go:build unix

package manager

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// oddNames are names that a user may give a file. The last two look like ours.
var oddNames = []string{
	"-", "--help", "...", ". ", " ", "\n", "a\nb", "\x01", "\xff\xfe", "a\xffb", "caf\u00e9", "cafe\u0301", `"`, `\`, `a"b\nc`, "*", "[", "[a", "?",
	strings.Repeat("n", 255), strings.Repeat("n", 254), strings.Repeat("m", 221), strings.Repeat("m", 220), strings.Repeat("\xff", 255),
	asidePrefix, asidePrefix + "short", asidePrefix + strings.Repeat("A", asideRandom), asidePrefix + strings.Repeat("A", asideRandom) + "-",
}

// TestEngineNames takes each name through all that can happen to a file: adopted, replaced, changed on both sides, renamed over.
func TestEngineNames(t *testing.T) {
	for _, name := range oddNames {
		t.Run(asText(name), func(t *testing.T) {
			w := newWorld(t, scratch(t), "a", "b")
			own, shared := filepath.Join(w.codex("a"), name), filepath.Join(w.shared, name)
			putText(t, own, "first")
			wantHeld(t, w, "first")
			if _, aside := asideOf(name); aside {
				return // it may be taken for one of ours, but is kept
			}
			tick(t)
			noError(t, w.reconcile("a", silent))
			tick(t)
			noError(t, os.Remove(own))
			putText(t, own, "second")
			wantHeld(t, w, "second")
			for i := range 3 { // three conflicts in one second
				noError(t, os.Remove(own))
				putText(t, own, "own "+string(rune('0'+i)))
				replaceByCreate(t, shared, "shared "+string(rune('0'+i)))
				wantHeld(t, w, "own "+string(rune('0'+i)), "shared "+string(rune('0'+i)))
			}
			if got, target := textOf(filepath.Join(w.codex("b"), name)), shared; got != textOf(target) {
				t.Errorf("b sees %q, want %q", got, textOf(target))
			}
		})
	}
}

// replaceByCreate writes a new file in place of file, whose name may be too long for a temporary one.
func replaceByCreate(t testing.TB, file, text string) {
	t.Helper()
	noError(t, os.Remove(file))
	putText(t, file, text)
}

func wantHeld(t testing.TB, w *world, texts ...string) {
	t.Helper()
	if err := w.settle(); err != nil {
		t.Errorf("settle failed: %v", err)
	}
	for _, text := range texts {
		if !holdsText(text, w.home, w.store.Root) {
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
		if _, aside := asideOf(name); aside {
			continue
		}
		t.Run(asText(name), func(t *testing.T) {
			w := newWorld(t, scratch(t), "a", "b")
			own, shared := filepath.Join(w.codex("a"), name), filepath.Join(w.shared, name)
			noError(t, os.Mkdir(own, 0o700))
			putText(t, filepath.Join(own, "file"), "first")
			wantHeld(t, w, "first")
			noError(t, os.Remove(own))
			noError(t, os.Mkdir(own, 0o700))
			putText(t, filepath.Join(own, "file"), "second")
			wantHeld(t, w, "first", "second")
			noError(t, os.RemoveAll(shared))
			wantHeld(t, w, "second")
			putText(t, filepath.Join(w.codex("a"), "tmp1"), "third")
			wantHeld(t, w, "third")
			noError(t, os.Rename(filepath.Join(w.codex("a"), "tmp1"), own))
			wantHeld(t, w, "third")
			if got := textOf(shared); got != "third" {
				t.Errorf("the shared entry is %q, want the renamed one", got)
			}
		})
	}
}
