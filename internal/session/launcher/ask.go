// Package launcher asks npm's launcher of codex which program it starts, for the shim to start that in its place.
package launcher

import (
	"context"
	_ "embed"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/process"
	"swop/internal/disk"
	"swop/shim"
)

// module is preloaded into Node.
//
//go:embed ask.cjs
var module string

const (
	patience = 5 * time.Second // a launcher takes 0.1 s
	most     = 8 << 20         // bytes of an answer: an environment may have 2 MB
)

// Ask returns the launcher's answer. That is kept below swop's root, for later starts; while it holds the launcher is not asked, unless the
// answer was not understood and again is set. The error says why it could not be asked, or the answer not kept; it wraps fs.ErrNotExist
// where there is no root yet.
func Ask(l shim.Launcher, places config.Places, env config.Env, again bool) (shim.Answer, error) {
	if stored, ok := l.Stored(&places, env); ok && (stored.Why == "" || !again) {
		return stored, nil
	}
	file := l.File(&places)
	if err := makeDirOf(file, places); err != nil {
		return shim.Answer{}, err
	}
	asked, err := ask(l, filepath.Dir(file), env, places)
	if err == nil {
		err = disk.WriteFile(file, []byte(asked.Text(l, env)))
	}
	return asked, err
}

// makeDirOf makes the directory of a file below swop's root. The error wraps fs.ErrNotExist where there is no root yet.
func makeDirOf(file string, places config.Places) error {
	layout, err := account.Open(places)
	if err != nil {
		return err
	}
	return layout.MakeDir(filepath.Dir(file))
}

// ask asks the launcher, by the node on PATH, with files of its own in dir. A launcher's own faults are in the answer, not in the error.
func ask(l shim.Launcher, dir string, env config.Env, places config.Places) (shim.Answer, error) {
	script, err := os.ReadFile(l.Script)
	if err != nil {
		return shim.Answer{}, err
	}
	text, _ := os.ReadFile(l.Manifest) // one that cannot be read names no package
	var manifest struct{ Name string }
	npm := json.Unmarshal(text, &manifest) == nil && manifest.Name == "@openai/codex"
	if !npm || !strings.HasPrefix(string(script), "#!/usr/bin/env node\n") {
		return shim.Answer{Why: "it is not part of the package @openai/codex"}, nil
	}
	node, err := account.OnPath("node", env, places)
	if err != nil {
		return shim.Answer{}, err
	}
	preload := filepath.Join(dir, disk.TempName()+".cjs")
	if err := os.WriteFile(preload, []byte(module), 0o600); err != nil {
		return shim.Answer{}, err
	}
	defer os.Remove(preload)
	q := question{given: account.Outside(env, places).Without("NODE_OPTIONS").With("PATH", sentinelPath), planted: planted(string(script))}
	for _, name := range q.planted {
		q.given = q.given.With(name, sentinel)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	start := l.Path
	if disk.Exe != "" { // on Windows that is a batch file
		start = l.Script
	}
	args := append([]string{"node", "--require", preload, start}, sentinelArgs...)
	said, err := process.Ask(ctx, process.Program{Path: node, Args: args, Env: q.given, Dir: dir}, most)
	var r report
	if err != nil || json.Unmarshal([]byte(said), &r) != nil {
		return shim.Answer{Why: "it did not answer which program it starts"}, nil
	}
	if !disk.SameFile(node, r.Node) {
		return shim.Answer{Why: node + " is not Node itself but starts " + r.Node}, nil
	}
	return q.judge(r), nil
}

// planted returns the names of variables in the launcher's text, which the caller may lack: with them the launcher shows which it removes.
func planted(script string) (names []string) {
	for _, name := range regexp.MustCompile(`\b[A-Z][A-Z0-9]*(_[A-Z0-9]+)+\b`).FindAllString(script, -1) {
		if !strings.HasPrefix(name, "NODE_") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return append(names, "SWOP_SENTINEL", "swop_sentinel")
}
