package shim

import (
	"os"
	"path/filepath"
	"strings"
)

// Script reports whether p is a script.
func (p Program) Script() bool {
	ending := strings.ToLower(filepath.Ext(p.Path))
	return ending == ".cmd" || ending == ".bat"
}

// scriptOf returns the script that the file at path runs, if that is the codex.cmd that npm made.
func scriptOf(path string) (script string, ok bool) {
	const below = `node_modules\@openai\codex\bin\codex.js`
	text, err := os.ReadFile(path)
	return filepath.Join(filepath.Dir(path), below), err == nil && strings.Contains(strings.ReplaceAll(string(text), "/", `\`), below)
}
