package launcher

import (
	"io"

	"swop/internal/disk"
	"swop/internal/say"
	"swop/shim"
)

// Note notes which codex a start found, for a start that finds none. That one prints once that it goes by the note; where nothing can be
// written, each time.
func Note(d *shim.Decision, stderr io.Writer) {
	if !d.ToNote() {
		return
	}
	text := d.Program.Path
	if d.Program.Noted {
		say.Line(stderr, "no codex is on PATH here; running %s, as an earlier start did", say.Name(text))
		text += shim.NoteSaid
	}
	file := shim.NoteFile(&d.Invocation.Places)
	if makeDirOf(file, d.Invocation.Places) == nil {
		_ = disk.WriteFile(file, []byte(text)) // a start does without
	}
}
