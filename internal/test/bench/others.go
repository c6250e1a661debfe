//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/e2e/responses"
)

var codexVersion = realcodex.Version

// realCodex returns the path of npm's launcher of the real Codex, and a model server for it.
func (b *bench) realCodex() (string, *responses.Server, error) {
	cache, err := realcodex.CacheDir()
	if err != nil {
		return "", nil, err
	}
	dir, err := realcodex.Install(background, cache, codexVersion)
	if err != nil {
		return "", nil, err
	}
	return filepath.Join(dir, "codex"), responses.Start(), nil
}

// realRun is a turn of codex in the account, and what a shell does at its end.
const realRun = `#!/bin/sh
cd "$HOME" && codex exec --skip-git-repo-check hi >/dev/null 2>&1 </dev/null || exit 1
echo ls >.shell_history.new && mv .shell_history.new .shell_history
`

// script writes a script into the home.
func (u scene) script(name, text string) string {
	path := filepath.Join(u.home, "bin", name)
	u.b.check(os.WriteFile(path, []byte(text), 0o755))
	return path
}

// prepareReal logs the account in, and lets it talk to the model server.
func (u scene) prepareReal(model *responses.Server) error {
	if err := os.WriteFile(filepath.Join(u.home, ".codex", "config.toml"), []byte(model.Config()), 0o600); err != nil {
		return err
	}
	login := exec.Command(u.program("codex"), "login", "--with-api-key")
	login.Env, login.Stdin = u.env(), strings.NewReader("sk-bench\n")
	if out, err := login.CombinedOutput(); err != nil {
		return fmt.Errorf("codex login: %w: %s", err, out)
	}
	for range 3 { // what codex creates is adopted
		run := exec.Command(u.script("before.sh", realRun))
		run.Env = u.env()
		if out, err := run.CombinedOutput(); err != nil {
			return fmt.Errorf("codex exec: %w: %s", err, out)
		}
	}
	return u.settle()
}

func (b *bench) others() {
	launcher, model, err := b.realCodex()
	if !b.check(err) {
		return
	}
	model.Close()
	u, err := b.scene(current, "others", launcher, everyday)
	if !b.check(err) {
		return
	}
	asInstalled, err := b.scene(current, "others-as-installed", launcher, everyday)
	if !b.check(err) || !b.check(asInstalled.configure(`launch = "as-installed"`)) {
		return
	}
	list := []candidate{
		{name: "npm's launcher, without swop", env: u.env(), args: []string{launcher, "--version"}},
		u.codex("swop, native launch", "--version"),
		asInstalled.codex(`swop, launch = "as-installed"`, "--version"),
		{name: "a bash wrapper that sets CODEX_HOME", env: u.env(), args: []string{u.script("wrapper.sh", bashWrapper), "--version"}},
		{name: "a bash wrapper that reads profiles, and copies a login", env: u.env(), args: []string{u.script("profiles.sh", profilesWrapper), "--version"}},
	}
	list = append(list, u.direnv()...)
	list = append(list, u.mise(launcher)...)
	f, err := b.measure(max(b.rounds/6, 3), list...)
	if !b.check(err) {
		return
	}
	fmt.Printf("\n## Against what one would pick instead\n\n`codex --version` of %s. Ratios are to npm's launcher, which is what runs without swop. Bound of the fast start: 0.25.\n", codexVersion)
	table(list, f, 0)
}

func (u scene) configure(line string) error {
	dir := filepath.Join(u.home, ".config", "swop")
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(line+"\n"), 0o600); err != nil {
		return err
	}
	return u.settle()
}

const bashWrapper = `#!/bin/bash
export CODEX_HOME=$HOME/.codex
exec "$HOME/bin/codex" "$@"
`

const profilesWrapper = `#!/bin/bash
set -euo pipefail
profiles=$HOME/.codex-profiles
mkdir -p "$profiles"
[ -f "$profiles/active" ] || echo work >"$profiles/active"
active=$(cat "$profiles/active")
mkdir -p "$profiles/$active"
[ -f "$profiles/$active/auth.json" ] || echo '{}' >"$profiles/$active/auth.json"
cmp -s "$profiles/$active/auth.json" "$HOME/.codex/auth.json" || cp "$profiles/$active/auth.json" "$HOME/.codex/auth.json"
exec "$HOME/bin/codex" "$@"
`

// direnv is codex in a directory whose .envrc chooses the account.
func (u scene) direnv() []candidate {
	direnv, err := exec.LookPath("direnv")
	if !u.b.check(err) {
		return nil
	}
	dir := filepath.Join(u.home, "project")
	u.b.check(os.Mkdir(dir, 0o755))
	u.b.check(os.WriteFile(filepath.Join(dir, ".envrc"), []byte("export CODEX_HOME=$HOME/.codex\n"), 0o644))
	allow := exec.Command(direnv, "allow", dir)
	allow.Env = u.env()
	if out, err := allow.CombinedOutput(); err != nil {
		u.b.check(fmt.Errorf("direnv allow: %w: %s", err, out))
		return nil
	}
	return []candidate{{name: "direnv exec", env: u.env(), args: []string{direnv, "exec", dir, filepath.Join(u.home, "bin", "codex"), "--version"}}}
}

// mise is codex through mise's shim.
func (u scene) mise(launcher string) []candidate {
	cache, err := realcodex.CacheDir()
	if !u.b.check(err) {
		return nil
	}
	program, err := realcodex.Mise(background, cache)
	if !u.b.check(err) {
		return nil
	}
	shims := filepath.Join(u.home, "mise-shims")
	tools := filepath.Join(u.home, ".local", "share", "mise", "installs", "codex", "1", "bin")
	u.b.check(os.MkdirAll(shims, 0o755))
	u.b.check(os.MkdirAll(tools, 0o755))
	u.b.check(os.Symlink(launcher, filepath.Join(tools, "codex")))
	u.b.check(os.Symlink(program, filepath.Join(shims, "codex")))
	config := filepath.Join(u.home, ".config", "mise")
	u.b.check(os.MkdirAll(config, 0o755))
	u.b.check(os.WriteFile(filepath.Join(config, "config.toml"), []byte("[env]\n_.path = ['"+tools+"']\n"), 0o644))
	return []candidate{{name: "mise's shim", env: u.env(), args: []string{filepath.Join(shims, "codex"), "--version"}}}
}
