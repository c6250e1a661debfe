//go:build unix

package main

import (
	"os"
	"path/filepath"

	"swop/config"
	"swop/install"
	"swop/say"
)

// shim is the path of the shim beside this program.
func (a *app) shim() string { return filepath.Join(filepath.Dir(a.executable), "codex") }

// codexesOn returns the programs named codex in the directories of path, in its order and each file once. Like the shim it skips relative
// entries.
func codexesOn(path string) []string {
	var files []string
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, "codex")
		info, err := os.Stat(file)
		if err != nil || !filepath.IsAbs(dir) || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		if !containsFile(files, file) {
			files = append(files, file)
		}
	}
	return files
}

func containsFile(files []string, file string) bool {
	for _, other := range files {
		if sameFile(other, file) {
			return true
		}
	}
	return false
}

func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	ai, err := os.Stat(a)
	if err != nil {
		return false
	}
	bi, err := os.Stat(b)
	return err == nil && os.SameFile(ai, bi)
}

// shimCommand returns what a hint calls so that the shim runs: codex, or the path of the shim if PATH leads to another codex.
func (a *app) shimCommand(path string) string {
	if first := codexesOn(path); len(first) > 0 && sameFile(first[0], a.shim()) {
		return "codex"
	}
	return say.ShellQuote(a.shim())
}

// checkPath returns whether the first codex on the caller's PATH is the shim beside this program, and warnings of other shims there.
func (a *app) checkPath(env config.Env) []check {
	if _, err := os.Stat(a.shim()); err != nil {
		return []check{problem("path", "./install.sh", "codex is missing beside %s", a.executable)}
	}
	found := codexesOn(env.Value("PATH"))
	line := install.LineFor(env.Value("SHELL"), filepath.Dir(a.executable))
	checks := []check{problem("path", line, "the shim is not on PATH here")}
	switch {
	case !containsFile(found, a.shim()):
	case sameFile(found[0], a.shim()):
		checks[0] = fine("path", "codex is %s", found[0])
	default:
		checks[0] = problem("path", line, "%s comes before the shim on PATH here", found[0])
	}
	return append(checks, a.checkOtherShims(found)...)
}

// checkOtherShims returns a warning for each shim of another installation: every call passes over them, but one may come first some day.
func (a *app) checkOtherShims(found []string) []check {
	var checks []check
	for _, file := range found {
		if sameFile(file, a.shim()) || !install.IsShim(file) {
			continue
		}
		hint := "rm " + say.ShellQuote(file)
		if sibling := filepath.Join(filepath.Dir(file), "codex-swop"); install.PrefixOf(sibling) != "" {
			hint = say.ShellQuote(sibling) + " uninstall"
		}
		checks = append(checks, warn("path", hint, "%s is a shim of another installation of swop", file))
	}
	return checks
}

// hintForEditor changes the hint of the check of the caller's PATH to one that works in later terminals too, if this is an editor's: VS Code
// and editors based on it, and JetBrains' programs, put their extensions' directories first in their terminals after the start-up files.
func (a *app) hintForEditor(c *check, env config.Env, state install.State) {
	inEditor := env.Value("TERM_PROGRAM") == "vscode" || env.Value("TERMINAL_EMULATOR") == "JetBrains-JediTerm"
	behind := c.State == stateProblem && containsFile(codexesOn(env.Value("PATH")), a.shim())
	if behind && inEditor && state.OnPath && !state.EveryPrompt {
		c.Text += ", in a terminal of an editor"
		c.Hint = "codex swop install --every-prompt"
	}
}
