package shim

import (
	"os"
	"path/filepath"
	"strings"

	"swop/config"
	"swop/disk"
)

// native returns what program, the codex.cmd or codex.ps1 that npm made, starts in the end: the native program, if its launcher is known. In any
// doubt it reports false, and what npm made is to run.
func native(program Program, args []string, env config.Env) (launch, bool) {
	root, ok := packageOf(program.Path)
	if !ok || env.Value("NODE_OPTIONS") != "" {
		return launch{}, false
	}
	text, _ := os.ReadFile(filepath.Join(root, "bin", "codex.js")) // no launcher is empty
	known := launcherOfSize(int64(len(text)))
	if known == nil || sumOf(text) != known.sum {
		return launch{}, false
	}
	return known.launch(root, args, env)
}

// packageOf returns the package whose script the file at path runs, if npm made that file: the script lies below it.
func packageOf(path string) (root string, ok bool) {
	if ending := strings.ToLower(filepath.Ext(path)); ending != ".cmd" && ending != ".ps1" {
		return "", false
	}
	text, err := os.ReadFile(path)
	names := strings.ReplaceAll(string(text), "/", `\`)
	made := err == nil && strings.Contains(names, `node_modules\@openai\codex\bin\codex.js`)
	return filepath.Join(filepath.Dir(path), "node_modules", "@openai", "codex"), made
}

func exists(path string) bool { return disk.At(path).Exists() }
