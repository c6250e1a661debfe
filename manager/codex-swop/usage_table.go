//go:build unix

package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"swop/account"
	limits "swop/limits/usage"
	"swop/manager/terminal"
	"swop/say"
)

// showUsage prints the limits for people.
func (a *app) showUsage(u usageAnswer) error {
	if len(u.Accounts) == 0 {
		a.say("there are no accounts yet")
		a.say("hint: codex swop add work")
		return nil
	}
	return a.Show(a.usageLines(u.Accounts, a.Width()))
}

// usageLines returns a table, its titles first. Where that is wider than width the cells are short and what is wrong is said below the table; then the plan is
// left out.
func (a *app) usageLines(list []usageEntry, width int) []string {
	now, columns := a.now(), a.usageColumns(list)
	var notes []string
	if terminal.TableWidth(columns) > width {
		columns = a.shortColumns(list)
		for _, e := range list {
			if said := strings.Join(e.notes(now), "; "); said != "" {
				notes = append(notes, terminal.Fold(say.Printable(e.Label+": "+said), width, 2)...)
			}
		}
	}
	if terminal.TableWidth(columns) > width {
		columns = slices.Delete(columns, 1, 2)
	}
	return append(a.Table(columns), notes...)
}

// shortColumns returns the columns of a table for a narrow terminal: without what is wrong.
func (a *app) shortColumns(list []usageEntry) []terminal.Column {
	now, columns := a.now(), a.usageColumns(list)
	for i, minutes := range windowLengths(list) {
		columns[2+i] = terminal.NewColumn(columns[2+i].Title+" LEFT", list, func(e usageEntry) string {
			return strings.NewReplacer(" left", "", ", resets at", " till", ", resets on", " till").Replace(e.window(minutes, now))
		})
	}
	columns[len(columns)-1] = terminal.NewColumn("READ", list, func(e usageEntry) string { return terminal.Ago(now, e.ReadAt) })
	return columns
}

func (a *app) usageColumns(list []usageEntry) []terminal.Column {
	now := a.now()
	columns := []terminal.Column{
		terminal.NewColumn("ACCOUNT", list, func(e usageEntry) string { return e.Label }),
		terminal.NewColumn("PLAN", list, usageEntry.plan),
	}
	for _, minutes := range windowLengths(list) {
		columns = append(columns, terminal.NewColumn(strings.ToUpper(windowName(minutes)), list, func(e usageEntry) string { return e.window(minutes, now) }))
	}
	if slices.ContainsFunc(list, func(e usageEntry) bool { return e.credits() != "" }) {
		columns = append(columns, terminal.NewColumn("CREDITS", list, usageEntry.credits))
	}
	return append(columns, terminal.NewColumn("READ", list, func(e usageEntry) string { return e.state(now) }))
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
		return terminal.Counted(minutes/day, "day", "days")
	case minutes%hour == 0:
		return terminal.Counted(minutes/hour, "hour", "hours")
	}
	return terminal.Counted(minutes, "minute", "minutes")
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

// state says when the limits were read, and what there is to note.
func (e usageEntry) state(now time.Time) string {
	notes := e.notes(now)
	if e.Problem == "" || e.ReadAt != nil {
		notes = append([]string{terminal.Ago(now, e.ReadAt)}, notes...)
	}
	return strings.Join(notes, "; ")
}

// notes say what is wrong, and whether the account is marked.
func (e usageEntry) notes(now time.Time) (notes []string) {
	if e.Problem != "" {
		notes = append(notes, e.Problem.Error())
	}
	if strings.HasPrefix(e.Reached, "workspace_") {
		notes = append(notes, "the workspace's limit is reached")
	}
	if e.BlockedUntil != nil {
		notes = append(notes, "at its limit: used again "+limits.When(*e.BlockedUntil, now))
	}
	return notes
}
