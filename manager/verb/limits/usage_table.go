package limits

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"swop/internal/account/login"
	"swop/internal/limits/usage"
	"swop/internal/say"
	"swop/manager/terminal"
	"swop/manager/verb"
)

func showUsage(call *verb.Call, u usageAnswer) error {
	if len(u.Accounts) == 0 {
		call.Say("there are no accounts yet")
		call.Say("hint: codex swop add work")
		return nil
	}
	return call.Show(usageLines(call, u.Accounts))
}

// usageLines returns a table, and below it the notes of each account.
func usageLines(call *verb.Call, list []usageEntry) []string {
	now := call.Now()
	columns := []terminal.Column{
		terminal.NewColumn("ACCOUNT", list, func(e usageEntry) string { return e.Label }),
		terminal.NewColumn("PLAN", list, usageEntry.plan),
	}
	columns = append(columns, windowColumns(list, func(e usageEntry) []usageWindow { return e.Windows }, func(w usageWindow) string {
		if !w.ResetsAt.After(now) {
			return w.left()
		}
		_, when, _ := strings.Cut(usage.When(w.ResetsAt, now), " ")
		return w.left() + " till " + when
	})...)
	lines := call.Table(append(columns, terminal.NewColumn("READ", list, func(e usageEntry) string { return terminal.Ago(now, e.ReadAt) })))
	for _, e := range list {
		if notes := e.notes(now); len(notes) > 0 {
			lines = append(lines, say.Fold(say.Printable(e.Label+": "+strings.Join(notes, "; ")), call.Width(), 2)...)
		}
	}
	return lines
}

// windowColumns returns a column for each length of window in the rows, the shortest first. cell returns the text for a window.
func windowColumns[R any](rows []R, windows func(R) []usageWindow, cell func(usageWindow) string) (columns []terminal.Column) {
	var lengths []int
	for _, row := range rows {
		for _, w := range windows(row) {
			lengths = append(lengths, w.Minutes)
		}
	}
	slices.Sort(lengths)
	for _, minutes := range slices.Compact(lengths) {
		columns = append(columns, terminal.NewColumn(strings.ToUpper(windowName(minutes))+" LEFT", rows, func(row R) string {
			for _, w := range windows(row) {
				if w.Minutes == minutes {
					return cell(w)
				}
			}
			return ""
		}))
	}
	return columns
}

// left returns the cell for what is left of the window, in percent.
func (w usageWindow) left() string { return fmt.Sprintf("%d %%", w.Left) }

// windowName returns what a window of this length is called: "5 hours", "week".
func windowName(minutes int) string {
	const hour, day = 60, 24 * 60
	switch {
	case minutes == 0:
		return "limit"
	case minutes == 7*day:
		return "week"
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
	return login.Login{Plan: e.Plan, Organization: e.Organization, Workspace: e.Workspace}.Of()
}

// notes returns the problems of the account, its marks and its hold, for people.
func (e usageEntry) notes(now time.Time) (notes []string) {
	if e.Problem != "" {
		notes = append(notes, e.Problem.Error())
	}
	if e.Problem.MayPass() {
		notes = append(notes, "swop asks again after 5 minutes; to ask now: codex swop usage "+say.ShellQuote(e.Label)+" --max-age 0")
	}
	if strings.HasPrefix(e.Reached, "workspace_") {
		notes = append(notes, "the workspace's limit is reached")
	}
	if e.Hold {
		notes = append(notes, "on hold: no pool takes it, nor does next")
	}
	if e.BlockedUntil != nil {
		notes = append(notes, "at its limit: used again "+usage.When(*e.BlockedUntil, now))
	}
	return notes
}
