package shim

import (
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

// ToNote reports whether codex-swop is to note the codex that this start found: the note names another one, or this start is the first to
// use it. A start below another one notes nothing: a wrapper hands it a PATH of its own.
func (d *Decision) ToNote() bool {
	places := &d.Invocation.Places
	if d.guard.starts > 1 {
		return false
	}
	text, _ := disk.ReadOwn(NoteFile(places), largestAnswer)
	path, said := strings.CutSuffix(text, NoteSaid)
	isKnown := path == d.Program.Path && (said || !d.Program.Noted)
	return !isKnown && disk.IsDir(places.Root)
}
