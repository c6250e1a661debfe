package shim

import (
	"os"
	"path/filepath"
	"strings"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
)

// NoteFile is where codex-swop notes which codex a start found: one whose PATH has none, as an editor's or cron's, goes by that.
func NoteFile(places *config.Places) string { return filepath.Join(places.Root, launchDir, "codex") }

// NoteSaid ends the note once a start has said that it goes by it.
const NoteSaid = "\x00said"

// noted returns the codex of the note, the zero value where there is none, or codex is gone.
func (i *Invocation) noted() (p Program) {
	if _, err := account.Open(i.Places); err == nil && i.Places.Root != "" {
		text, _ := disk.ReadOwn(NoteFile(&i.Places), largestAnswer)
		p, err = programAt(strings.TrimSuffix(text, NoteSaid))
		p.Noted = err == nil
	}
	return p
}

// isNoted reports whether there is a note, or no place for one.
func (i *Invocation) isNoted() bool {
	_, err := os.Lstat(NoteFile(&i.Places))
	return err == nil || !disk.IsDir(i.Places.Root)
}
