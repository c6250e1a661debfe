package confine

import (
	"encoding/json"
	"os"
	"path/filepath"

	"swop/internal/confine/desk"
)

// programsDir has swop's programs in a session, and HelperPath is the one that starts the others.
const (
	programsDir = desk.RuntimeDir + "-programs"
	HelperPath  = programsDir + "/helper"

	heldDir = desk.RuntimeDir + "-held" // see [Scene.mounts]
)

// Inside describes a session to the programs inside, by a file in [desk.RuntimeDir].
type Inside struct {
	Label     string `json:"label"`
	Key       string `json:"key"`
	Policy    Policy `json:"policy"`
	CodexHome string `json:"codex_home"`
}

const insideFile = "inside.json"

// ReadInside returns the session that this process is confined in; the error wraps [fs.ErrNotExist] if it is not.
func ReadInside() (in Inside, err error) {
	text, err := os.ReadFile(filepath.Join(desk.RuntimeDir, insideFile))
	if err != nil {
		return in, err
	}
	return in, json.Unmarshal(text, &in)
}
