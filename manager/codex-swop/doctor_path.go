//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"swop/config"
	"swop/install"
	"swop/say"
)

// shim is the path of the shim beside this program.
func (a *app) shim() string { return filepath.Join(filepath.Dir(a.executable), "codex") }

// codexesOn returns the programs named codex in the directories of path, in its order and each file once. Relative entries are passed
// over, as the shim does.
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

// us is how a hint calls codex so that the shim is run: by its path where the caller's PATH leads to another.
func (a *app) us(path string) string {
	if first := codexesOn(path); len(first) > 0 && sameFile(first[0], a.shim()) {
		return "codex"
	}
	return say.ShellQuote(a.shim())
}

// checkPath looks whether the first codex on the caller's PATH is the shim beside this program, and for other shims there.
func (a *app) checkPath(env config.Env) []check {
	if _, err := os.Stat(a.shim()); err != nil {
		return []check{problem("path", "./install.sh", "there is no codex beside %s", a.executable)}
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

// checkOtherShims finds what is left of other installations: the shim takes care of them at every call, and they may come first some day.
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

// checkStanding looks at the installation, and asks the user's shells what codex is in new ones. A shell that is not the user's own is no
// more than a warning.
func (a *app) checkStanding(s scene, limit time.Duration) (install.Standing, []check) {
	o, err := a.installed(s)
	if err != nil {
		return install.Standing{}, []check{failed("installation", err)}
	}
	standing, err := install.Look(o)
	if err != nil {
		return standing, []check{failed("installation", err)}
	}
	checks := a.checkInstallation(standing, install.DefaultPrefix(o.Home, o.Env))
	answers := a.askAll(s, standing.Shells, limit)
	for i, sh := range standing.Shells {
		checks = append(checks, a.judge(sh, answers[i], standing)...)
	}
	return standing, checks
}

// mendInEditor gives the check of the caller's PATH a hint that holds for later terminals, where an editor puts its extensions' directories
// first: VS Code and what is made of it, and JetBrains' programs, do so in their terminals after the start-up files.
func (a *app) mendInEditor(c *check, env config.Env, standing install.Standing) {
	inEditor := env.Value("TERM_PROGRAM") == "vscode" || env.Value("TERMINAL_EMULATOR") == "JetBrains-JediTerm"
	behind := c.State == stateProblem && containsFile(codexesOn(env.Value("PATH")), a.shim())
	if behind && inEditor && standing.Lined && !standing.EveryPrompt {
		c.Text += ", in a terminal of an editor"
		c.Hint = "codex swop install --every-prompt"
	}
}

// installed are the options of an install over the one that runs, which changes nothing if all is in place.
func (a *app) installed(s scene) (install.Options, error) {
	completions, err := completionScripts(a.executable)
	return install.Options{
		Prefix: install.PrefixOf(a.executable), From: filepath.Dir(a.executable), Completions: completions,
		Home: s.Home, Env: s.Env, Shell: s.Env.Value("SHELL"),
	}, err
}

// judge makes the checks of one shell: the manners in which the shim is found are one line, and so are those that share another first codex.
func (a *app) judge(sh install.Shell, answers []answer, standing install.Standing) []check {
	manners := map[string][]string{} // by what codex is
	var order []string
	for _, answer := range answers {
		what := a.whatIs(answer)
		if what != "" && sh.Name == "bash" && answer.manner == "plain" {
			continue // it reads no file: what it finds is what the check of PATH says
		}
		if manners[what] == nil {
			order = append(order, what)
		}
		manners[what] = append(manners[what], answer.manner)
	}
	var checks []check
	for _, what := range order {
		kinds := strings.Join(manners[what], ", ")
		switch {
		case what == "":
			checks = append(checks, fine(sh.Name, "swop's codex comes first (%s)", kinds))
		default:
			c := warn(sh.Name, a.shellHint(sh, what, standing), "%s (%s)", what, kinds)
			if sh.Own && !strings.HasPrefix(what, noAnswer) {
				c.State = stateProblem
			}
			checks = append(checks, c)
		}
	}
	return checks
}

const (
	noAnswer  = "its start-up files do not let it answer"
	otherWord = "codex is an alias or a function that names another program"
)

// whatIs says what codex is to a shell, "" where it is the shim.
func (a *app) whatIs(answer answer) string {
	if answer.err != nil {
		return fmt.Sprintf("%s: %v", noAnswer, answer.err)
	}
	if strings.Contains(answer.alias, "/codex") && !strings.Contains(answer.alias, a.shim()) {
		return otherWord
	}
	found := codexesOn(answer.path)
	switch {
	case len(found) == 0:
		return "no codex is on PATH, not even swop's"
	case sameFile(found[0], a.shim()):
		return ""
	case install.IsShim(found[0]):
		return fmt.Sprintf("%s comes first, a shim of another installation of swop", found[0])
	case !containsFile(found, a.shim()):
		return fmt.Sprintf("%s comes first, swop's is not on PATH", found[0])
	}
	return fmt.Sprintf("%s comes before swop's", found[0])
}

// shellHint is the mend: an install where it would put lines right, else what shows or does it by hand.
func (a *app) shellHint(sh install.Shell, what string, standing install.Standing) string {
	switch {
	case strings.HasPrefix(what, noAnswer) && sh.Name == "fish":
		return say.ShellQuote(sh.Path) + " -lic exit"
	case strings.HasPrefix(what, noAnswer):
		return say.ShellQuote(sh.Path) + " -lixc exit"
	case what == otherWord:
		return say.ShellQuote(sh.Path) + " -ic 'type codex'"
	case len(standing.Behind) > 0:
		return "codex swop install"
	case !standing.EveryPrompt:
		return "codex swop install --every-prompt"
	}
	return install.LineFor(sh.Name, filepath.Dir(a.executable))
}
