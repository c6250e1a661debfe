package mirror

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// A link in a directory that is adopted is replaced while it is retargeted, and again while the first one goes back: the last version is
// kept.
func TestEngineRetargetedLinkIsReplacedTwice(t *testing.T) {
	s := newStepper(t)
	w := newWorld(t, testhome.Scratch(t), "a")
	link := filepath.Join(w.codex("a"), "proj", "link")
	testhome.NoError(t, os.Mkdir(filepath.Dir(link), 0o700))
	testhome.NoError(t, os.Symlink(filepath.Join(w.codex("a"), "x"), link))
	texts := []string{"replaced", "kept 1"}
	_, err := s.run(func() error { return w.reconcile("a", idle) }, func(_ int, call string) unix.Errno {
		if len(texts) > 0 && strings.HasSuffix(call, " to link (exchange)") {
			replaceFile(t, link, texts[0])
			texts = texts[1:]
		}
		return 0
	})
	if err != nil || len(texts) > 0 {
		t.Errorf("Reconcile = %v, %d replacements are left, want no error and none", err, len(texts))
	}
	wantHeld(t, w, "kept 1")
}
