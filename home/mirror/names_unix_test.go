//go:build unix

package mirror

import (
	"fmt"
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

// TestEngineNames takes each name through all that can happen to a file and to a directory: adopted, replaced, changed on both sides, removed,
// renamed over.
func TestEngineNames(t *testing.T) {
	for n, name := range oddNames {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			w := newWorld(t, testhome.Scratch(t), "a", "b")
			own, shared := filepath.Join(w.codex("a"), name), filepath.Join(w.shared, name)
			again := func(path, text string) { // its name may be too long for a temporary one
				testhome.NoError(t, os.RemoveAll(path))
				testhome.PutText(t, path, text)
			}
			inDir := func(text string) {
				testhome.NoError(t, os.RemoveAll(own))
				testhome.NoError(t, os.Mkdir(own, 0o700))
				testhome.PutText(t, filepath.Join(own, "file"), text)
			}
			again(own, "first")
			w.do(`settle; held first; tick; start rest; tick`)
			again(own, "second")
			w.do(`settle; held second`)
			for i := range 3 { // three conflicts in one second
				again(own, fmt.Sprint("own ", i))
				again(shared, fmt.Sprint("shared ", i))
				w.do(fmt.Sprintf(`settle; held own %d; held shared %[1]d`, i))
			}
			wantText(t, filepath.Join(w.codex("b"), name), testhome.TextOf(shared))
			inDir("third")
			w.do(`settle; held third`)
			inDir("fourth")
			w.do(`settle; held third; held fourth`)
			testhome.NoError(t, os.RemoveAll(shared))
			w.do(`settle; held fourth; put $own/tmp1 last; settle`)
			testhome.NoError(t, os.Rename(filepath.Join(w.codex("a"), "tmp1"), own))
			w.do(`settle`)
			wantText(t, shared, "last")
		})
	}
}
