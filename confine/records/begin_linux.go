package records

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
)

// maxBegin bounds the first line of a transcript: it has codex's instructions in it.
const maxBegin = 1 << 20

// begin returns the first line of a new transcript, which says for which directory it is. Else a session could give the user one to resume, without a
// sandbox, in a directory that the session cannot write.
func (p *pass) begin(from *os.File, size int64) ([]byte, error) {
	text := make([]byte, min(size, maxBegin))
	if !readAt(from, text, 0) {
		return nil, refusal("it was shortened meanwhile")
	}
	end := bytes.IndexByte(text, '\n') + 1
	dir := directoryIn(text[:end])
	switch {
	case dir == "":
		return nil, refusal("its first line is none of a transcript")
	case !p.isInRoots(dir):
		return nil, refusal("it is for a directory that is not in the session's workspace")
	}
	return text[:end], nil
}

// directoryIn returns the directory that the first line of a transcript names, "" for none.
func directoryIn(line []byte) string {
	if text(field(line, "type")) != "session_meta" {
		return ""
	}
	return text(field(field(line, "payload"), "cwd"))
}

// field returns a field of a JSON object, nil for none. A name in other letters is none, and hides the right one: some readers take it for that.
func field(object []byte, name string) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil {
		return nil
	}
	for other := range fields {
		if other != name && strings.EqualFold(other, name) {
			return nil
		}
	}
	return fields[name]
}

func text(value json.RawMessage) (s string) {
	if json.Unmarshal(value, &s) != nil {
		return ""
	}
	return s
}

// isInRoots reports whether a directory is in the roots, wherever links lead. One that was removed is where its name says.
func (p *pass) isInRoots(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = filepath.Clean(dir)
	}
	return slices.ContainsFunc(p.roots, func(root string) bool { return config.Within(real, root) })
}
