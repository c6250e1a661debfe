//go:build unix

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"swop/say"
)

// summary is codex swop without a verb: where one stands, and what one would most likely type next.
func (a *app) summary() error {
	s, err := a.open()
	if err != nil {
		return err
	}
	choice, err := a.choose(s)
	if err != nil {
		return err
	}
	w, err := a.explain(s, choice)
	if err != nil {
		return err
	}
	l, err := a.entries(s, choice)
	if err != nil {
		return err
	}
	var text []string
	for _, line := range fold(say.Printable(w.sentence()), a.width(), 0) {
		text = append(text, a.paint(bold, line))
	}
	text = append(text, "")
	if len(l.Accounts) > 0 {
		text = append(text, a.summaryLines(l)...)
		text = append(text, "")
	}
	text = append(text, stepLines(append(a.nextSteps(s, w, l), step{"codex swop help", "all commands"}), a.width())...)
	return a.show(text)
}

// maxSummary is how many accounts a summary shows: more would push the rest off the screen.
const maxSummary = 10

func (a *app) summaryLines(l listAnswer) []string {
	more := len(l.Accounts) - maxSummary
	l.Accounts = foremost(l.Accounts)
	lines := a.listLines(l, a.width())
	if more > 0 {
		lines = append(lines, fmt.Sprintf("   and %d more: codex swop list", more))
	}
	return lines
}

// foremost returns the entries that matter most now, in the order that they had: the active one, those in use, those used last.
func foremost(list []listEntry) []listEntry {
	if len(list) <= maxSummary {
		return list
	}
	ranked := slices.Clone(list)
	slices.SortStableFunc(ranked, func(x, y listEntry) int { return y.weight().compare(x.weight()) })
	least := ranked[:maxSummary]
	return slices.DeleteFunc(slices.Clone(list), func(e listEntry) bool {
		return !slices.ContainsFunc(least, func(o listEntry) bool { return o.Key == e.Key })
	})
}

// weight says how much an entry matters now.
type weight struct{ active, inUse, used int64 }

func (e listEntry) weight() weight {
	var w weight
	if e.Active {
		w.active = 1
	}
	if e.InUse {
		w.inUse = 1
	}
	if e.LastUsedAt != nil {
		w.used = e.LastUsedAt.Unix()
	}
	return w
}

func (w weight) compare(o weight) int {
	return slices.Compare([]int64{w.active, w.inUse, w.used}, []int64{o.active, o.inUse, o.used})
}

// step is a command and what it does.
type step struct{ command, does string }

// stepLines lays the steps in two columns, or where these have no room, what a command does below it.
func stepLines(steps []step, width int) []string {
	left, right := 0, 0
	for _, s := range steps {
		left, right = max(left, cellWidth(s.command)), max(right, cellWidth(s.does))
	}
	var lines []string
	for _, s := range steps {
		if left+columnGap+right > width {
			lines = append(append(lines, say.Printable(s.command)), below(s.does, width, 2)...)
			continue
		}
		lines = append(lines, say.Printable(s.command+strings.Repeat(" ", left-cellWidth(s.command)+columnGap)+s.does))
	}
	return lines
}

// below is running text, indented, below what it is about.
func below(s string, width, indent int) []string {
	lines := fold(s, width-indent, 0)
	for i, line := range lines {
		lines[i] = strings.Repeat(" ", indent) + line
	}
	return lines
}

// nextSteps are the two commands that one needs next, before help.
func (a *app) nextSteps(s scene, w whichAnswer, l listAnswer) []step {
	install := step{"npm install -g @openai/codex", "the real codex, which was not found"}
	here, other := say.ShellQuote(w.Label), say.ShellQuote(otherThan(w.Key, l.Accounts))
	steps := []step{
		{"codex swop use " + other, "run as it from now on"},
		{"codex swop bind " + other + " DIR", "always run as it there"},
	}
	switch {
	case len(l.Accounts) == 0 && w.Label == "":
		steps = []step{a.firstStep(s), {"codex swop use work", "let plain codex run as it"}}
	case w.Label == "":
		steps = []step{{"codex swop use " + other, "let plain codex run as it"}, {"SWOP_ACCOUNT=" + other + " codex", "or just once"}}
	case !w.Exists:
		steps = []step{{"codex swop add " + here, "log it in first"}, {"codex swop which", "why it is this one"}}
	case w.Login.Mode == "none":
		steps = []step{{"codex swop login " + here, "log it in"}, {"codex swop which", "why it is this one"}}
	case len(l.Accounts) == 1:
		steps = []step{{"codex swop add personal", "log in another account"}, {"codex swop bind " + here + " DIR", "always run as it there"}}
	}
	if w.Codex == "" {
		return []step{install, steps[0]}
	}
	return steps
}

// otherThan returns the label that matters most now but for the account with the key, "" if there is none.
func otherThan(key string, list []listEntry) string {
	var best listEntry
	for _, e := range list {
		if e.Key != key && (best.Key == "" || e.weight().compare(best.weight()) > 0) {
			best = e
		}
	}
	return best.Label
}

// firstStep adds the first account, with the login that is there if there is one.
func (a *app) firstStep(s scene) step {
	auth := filepath.Join(s.SharedHome(), "auth.json")
	if _, err := os.Lstat(auth); errors.Is(err, fs.ErrNotExist) {
		return step{"codex swop add work", "log in and keep the login as an account"}
	}
	return step{"codex swop add work --import " + say.ShellQuote(auth), "make the login that is there an account"}
}
