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

// script returns the script that p runs, if p is the codex.cmd that npm made.
func (p Program) script() (path string, ok bool) {
	const below = `node_modules\@openai\codex\bin\codex.js`
	text, err := os.ReadFile(p.Path)
	return filepath.Join(filepath.Dir(p.Path), below), err == nil && strings.Contains(strings.ReplaceAll(string(text), "/", `\`), below)
}
