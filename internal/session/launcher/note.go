package launcher

import (
	"io"
	"os"
	"strings"

	"swop/config"
	"swop/internal/disk"
	"swop/internal/say"
	"swop/shim"
)

// Note notes which codex a start found, for a start that finds none. That one prints once that it goes by the note; where nothing can be
// written, each time.
func Note(codex shim.Program, places config.Places, stderr io.Writer) {
	file := shim.NoteFile(&places)
	was, _ := os.ReadFile(file)
	path, said := strings.CutSuffix(string(was), shim.NoteSaid)
	if path == codex.Path && (said || !codex.Noted) {
		return
	}
	text := codex.Path
	if codex.Noted {
		say.Line(stderr, "no codex is on PATH here; running %s, as an earlier start did", say.Name(codex.Path))
		text += shim.NoteSaid
	}
	if makeDirOf(file, places) == nil {
		_ = disk.WriteFile(file, []byte(text)) // a start does without
	}
}
