//go:build unix

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"swop/install"
	"swop/say"
)

// checkState returns the state of the installation and its checks, and asks the user's shells what codex is in new ones. For a shell that is
// not the user's own there is only a warning.
func (a *app) checkState(s scene, limit time.Duration) (install.State, []check) {
	o, err := a.installed(s)
	if err != nil {
		return install.State{}, []check{failed("installation", err)}
	}
	state, err := install.Examine(o)
	if err != nil {
		return state, []check{failed("installation", err)}
	}
	checks := a.checkInstallation(state, install.DefaultPrefix(o.Home, o.Env))
	answers := a.askAll(s, state.Shells, limit)
	for i, sh := range state.Shells {
		checks = append(checks, a.judge(sh, answers[i], state)...)
	}
	return state, checks
}

// installed returns the options to install again what is installed, which changes nothing if nothing is wrong.
func (a *app) installed(s scene) (install.Options, error) {
	completions, err := completionScripts(a.executable)
	return install.Options{
		Prefix: install.PrefixOf(a.executable), From: filepath.Dir(a.executable), Completions: completions,
		Home: s.Home, Env: s.Env, Shell: s.Env.Value("SHELL"),
	}, err
}

// judge returns the checks of one shell: one for all manners of starting it that find the same codex first.
func (a *app) judge(sh install.Shell, answers []answer, state install.State) []check {
	manners := map[string][]string{} // by what codex is
	var order []string
	for _, answer := range answers {
		what := a.whatIs(answer)
		if what != "" && sh.Name == "bash" && answer.manner == "plain" {
			continue // it reads no file, and finds what the check of PATH reports
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
			c := warn(sh.Name, a.shellHint(sh, what, state), "%s (%s)", what, kinds)
			if sh.Own && !strings.HasPrefix(what, noAnswer) {
				c.State = stateProblem
			}
			checks = append(checks, c)
		}
	}
	return checks
}

const (
	noAnswer  = "its start-up files keep it from answering"
	otherWord = "codex is an alias or a function that names another program"
)

// whatIs returns what codex is in a shell, "" if it is the shim.
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
		return "no codex on PATH, not even swop's"
	case sameFile(found[0], a.shim()):
		return ""
	case install.IsShim(found[0]):
		return fmt.Sprintf("%s comes first, a shim of another installation of swop", found[0])
	case !containsFile(found, a.shim()):
		return fmt.Sprintf("%s comes first, swop's is not on PATH", found[0])
	}
	return fmt.Sprintf("%s comes before swop's", found[0])
}

// shellHint returns the command that repairs it: an install if that would change lines, else one that shows the cause.
func (a *app) shellHint(sh install.Shell, what string, state install.State) string {
	switch {
	case strings.HasPrefix(what, noAnswer) && sh.Name == "fish":
		return say.ShellQuote(sh.Path) + " -lic exit"
	case strings.HasPrefix(what, noAnswer):
		return say.ShellQuote(sh.Path) + " -lixc exit"
	case what == otherWord:
		return say.ShellQuote(sh.Path) + " -ic 'type codex'"
	case len(state.Outdated) > 0:
		return "codex swop install"
	case !state.EveryPrompt:
		return "codex swop install --every-prompt"
	}
	return install.LineFor(sh.Name, filepath.Dir(a.executable))
}
