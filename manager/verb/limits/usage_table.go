package limits

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"swop/account"
	"swop/limits/usage"
	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/say"
)

// showUsage prints the limits for people.
func showUsage(call *verb.Call, u usageAnswer) error {
	if len(u.Accounts) == 0 {
		call.Say("there are no accounts yet")
		call.Say("hint: codex swop add work")
		return nil
	}
	return call.Show(usageLines(call, u.Accounts, call.Width()))
}

// usageLines returns a table, its titles first. Where that is wider than width, the cells are short, and notes below the table say what is wrong; where even
// that is too wide, the table leaves the plan out.
func usageLines(call *verb.Call, list []UsageEntry, width int) []string {
	now, columns := call.Now(), UsageColumns(call, list)
	var notes []string
	if terminal.TableWidth(columns) > width {
		columns = shortColumns(call, list)
		for _, e := range list {
			if said := strings.Join(e.notes(now), "; "); said != "" {
				notes = append(notes, terminal.Fold(say.Printable(e.Label+": "+said), width, 2)...)
			}
		}
	}
	if terminal.TableWidth(columns) > width {
		columns = slices.Delete(columns, 1, 2)
	}
	return append(call.Table(columns), notes...)
}

// shortColumns returns the columns of a table for a narrow terminal: without what is wrong.
func shortColumns(call *verb.Call, list []UsageEntry) []terminal.Column {
	now, columns := call.Now(), UsageColumns(call, list)
	for i, minutes := range windowLengths(list) {
		columns[2+i] = terminal.NewColumn(columns[2+i].Title+" LEFT", list, func(e UsageEntry) string {
			return strings.NewReplacer(" left", "", ", resets at", " till", ", resets on", " till").Replace(e.window(minutes, now))
		})
	}
	columns[len(columns)-1] = terminal.NewColumn("READ", list, func(e UsageEntry) string { return terminal.Ago(now, e.ReadAt) })
	return columns
}

// UsageColumns returns the columns of a table of limits, the accounts in the first.
func UsageColumns(call *verb.Call, list []UsageEntry) []terminal.Column {
	now := call.Now()
	columns := []terminal.Column{
		terminal.NewColumn("ACCOUNT", list, func(e UsageEntry) string { return e.Label }),
		terminal.NewColumn("PLAN", list, UsageEntry.plan),
	}
	for _, minutes := range windowLengths(list) {
		columns = append(columns, terminal.NewColumn(strings.ToUpper(windowName(minutes)), list, func(e UsageEntry) string { return e.window(minutes, now) }))
	}
	columns = append(columns, terminal.Filled(terminal.NewColumn("CREDITS", list, UsageEntry.credits))...)
	return append(columns, terminal.NewColumn("READ", list, func(e UsageEntry) string { return e.state(now) }))
}

// windowLengths returns the lengths of the windows of all accounts, the shortest first.
func windowLengths(list []UsageEntry) []int {
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

func (e UsageEntry) plan() string {
	if e.Mode == "api-key" {
		return "API key"
	}
	return e.Plan
}

// window says what is left of the window of this length, "" where the account has none.
func (e UsageEntry) window(minutes int, now time.Time) string {
	for _, w := range e.Windows {
		switch {
		case w.Minutes != minutes:
		case w.ResetsAt > account.At(now):
			return fmt.Sprintf("%d %% left, resets %s", w.Left, usage.When(w.ResetsAt.Time(), now))
		default:
			return fmt.Sprintf("%d %% left", w.Left)
		}
	}
	return ""
}

// credits say what can be used beyond the plan, and how often its limits can be reset.
func (e UsageEntry) credits() string {
	var parts []string
	switch {
	case e.Credits == nil || !e.Credits.Has && !e.Credits.Unlimited:
	case e.Credits.Unlimited:
		parts = append(parts, "unlimited")
	case e.Credits.Balance != "":
		parts = append(parts, e.Credits.Balance)
	}
	if e.Resets > 0 {
		parts = append(parts, terminal.Counted(e.Resets, "reset", "resets"))
	}
	return strings.Join(parts, ", ")
}

// state says when the limits were read, and what there is to note.
func (e UsageEntry) state(now time.Time) string {
	notes := e.notes(now)
	if e.Problem == "" || e.ReadAt != nil {
		notes = append([]string{terminal.Ago(now, e.ReadAt)}, notes...)
	}
	return strings.Join(notes, "; ")
}

// notes say what is wrong, and whether the account is marked.
func (e UsageEntry) notes(now time.Time) (notes []string) {
	if e.Problem != "" {
		notes = append(notes, e.Problem.Error())
	}
	if strings.HasPrefix(e.Reached, "workspace_") {
		notes = append(notes, "the workspace's limit is reached")
	}
	if e.BlockedUntil != nil {
		notes = append(notes, "at its limit: used again "+usage.When(*e.BlockedUntil, now))
	}
	return notes
}
