//go:build unix

package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"swop/manager/account"
	limits "swop/manager/usage"
)

// showUsage prints the limits for people.
func (a *app) showUsage(u usageAnswer) error {
	if len(u.Accounts) == 0 {
		a.say("there are no accounts yet")
		a.say("hint: codex swop add work")
		return nil
	}
	return a.show(a.usageLines(u.Accounts, a.width()))
}

// usageLines returns a table, its titles first, or where that is wider than width a few lines for each account.
func (a *app) usageLines(list []usageEntry, width int) []string {
	columns := a.usageColumns(list)
	if tableWidth(columns) > width {
		return a.usageNarrow(list, width)
	}
	lines := layTable(columns)
	lines[0] = a.paint(faint, lines[0])
	return lines
}

func (a *app) usageColumns(list []usageEntry) []column {
	now := a.now()
	columns := []column{
		newColumn("ACCOUNT", list, func(e usageEntry) string { return e.Label }),
		newColumn("PLAN", list, usageEntry.plan),
	}
	for _, minutes := range windowLengths(list) {
		columns = append(columns, newColumn(strings.ToUpper(windowName(minutes)), list, func(e usageEntry) string { return e.window(minutes, now) }))
	}
	if slices.ContainsFunc(list, func(e usageEntry) bool { return e.credits() != "" }) {
		columns = append(columns, newColumn("CREDITS", list, usageEntry.credits))
	}
	return append(columns, newColumn("READ", list, func(e usageEntry) string { return e.state(now) }))
}

func (a *app) usageNarrow(list []usageEntry, width int) []string {
	now := a.now()
	var lines []string
	indent := "  "
	if width < leastLogin {
		indent = ""
	}
	add := func(text string) {
		for _, part := range fold(text, width-len(indent), 0) {
			lines = append(lines, indent+part)
		}
	}
	for _, e := range list {
		lines = append(lines, fold(newColumn("", []usageEntry{e}, func(e usageEntry) string { return strings.TrimSpace(e.Label + " " + e.plan()) }).cells[0], width, 0)...)
		for _, w := range e.Windows {
			add(windowName(w.Minutes) + ": " + e.window(w.Minutes, now))
		}
		if text := e.credits(); text != "" {
			add("credits: " + text)
		}
		add("read " + e.state(now))
	}
	return lines
}

// windowLengths returns the lengths of the windows of all accounts, the shortest first.
func windowLengths(list []usageEntry) []int {
	var lengths []int
	for _, e := range list {
		for _, w := range e.Windows {
			lengths = append(lengths, w.Minutes)
		}
	}
	slices.Sort(lengths)
	return slices.Compact(lengths)
}

// windowName returns what a window of this length is called: "5 hours", "week".
func windowName(minutes int) string {
	const hour, day = 60, 24 * 60
	switch {
	case minutes == 0:
		return "limit"
	case minutes == 7*day:
		return "week"
	case minutes >= 28*day && minutes <= 31*day:
		return "month"
	case minutes%day == 0:
		return counted(minutes/day, "day", "days")
	case minutes%hour == 0:
		return counted(minutes/hour, "hour", "hours")
	}
	return counted(minutes, "minute", "minutes")
}

func (e usageEntry) plan() string {
	if e.Mode == "api-key" {
		return "API key"
	}
	return e.Plan
}

// window says what is left of the window of this length, "" where the account has none.
func (e usageEntry) window(minutes int, now time.Time) string {
	for _, w := range e.Windows {
		switch {
		case w.Minutes != minutes:
		case w.ResetsAt > account.At(now):
			return fmt.Sprintf("%d %% left, resets %s", w.Left, limits.When(w.ResetsAt.Time(), now))
		default:
			return fmt.Sprintf("%d %% left", w.Left)
		}
	}
	return ""
}

func (e usageEntry) credits() string {
	switch {
	case e.Credits == nil || !e.Credits.Has && !e.Credits.Unlimited:
		return ""
	case e.Credits.Unlimited:
		return "unlimited"
	}
	return e.Credits.Balance
}

// state says when the limits were read, what is wrong, and whether the account is marked.
func (e usageEntry) state(now time.Time) string {
	var parts []string
	if e.Problem == "" || e.ReadAt != nil {
		parts = append(parts, ago(now, e.ReadAt))
	}
	if e.Problem != "" {
		parts = append(parts, e.Problem.Error())
	}
	if strings.HasPrefix(e.Reached, "workspace_") {
		parts = append(parts, "the workspace's limit is reached")
	}
	if e.BlockedUntil != nil {
		parts = append(parts, "at its limit: used again "+limits.When(*e.BlockedUntil, now))
	}
	return strings.Join(parts, "; ")
}
