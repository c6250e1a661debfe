package shim

import (
	"os"
	"path/filepath"
	"strings"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
)

// NoteFile returns the path of the note: the path of the codex that the last start found. A start whose PATH has no codex, as an editor's
// or cron's, uses that one.
func NoteFile(places *config.Places) string { return filepath.Join(places.Root, launchDir, "codex") }

// NoteSaid is the end of a note that a start has used, and said so.
const NoteSaid = "\x00said"

// noted returns the codex that the note names, the zero value without a note, or where that codex is gone.
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
