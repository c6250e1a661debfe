package limits

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"swop/account"
	"swop/limits/tokens"
	"swop/limits/transcript"
	"swop/limits/usage"
	"swop/manager/terminal"
	"swop/manager/verb"
)

// What tokens are added up by.
var tokenGroups = []string{"account", "directory", "model", "day"}

// tokenFlags say which tokens are added up, and by what.
type tokenFlags struct {
	since string
	by    string
}

func (f *tokenFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.since, "since", "", "add up the tokens of all sessions since a `TIME`: 7d, 12h or 2026-07-01")
	cmd.Flags().StringVar(&f.by, "by", tokenGroups[0], "with --since, add up by `WHAT`: account, directory, model or day")
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(tokenGroups, cobra.ShellCompDirectiveNoFileComp)) // the flag exists, and has no completion yet
}

// check returns since when tokens are added up, the zero time for not at all.
func (f *tokenFlags) check(cmd *cobra.Command, now time.Time) (time.Time, error) {
	if f.since == "" {
		if cmd.Flags().Changed("by") {
			return time.Time{}, verb.WrongUsage(cmd, "--by needs --since")
		}
		return time.Time{}, verb.RefuseEmpty(cmd)
	}
	for _, other := range []string{"cached", "max-age", "timeout", "fail-at"} {
		if err := verb.Exclusive(cmd, "since", other); err != nil {
			return time.Time{}, err
		}
	}
	if !slices.Contains(tokenGroups, f.by) {
		return time.Time{}, verb.WrongUsage(cmd, "--by must be one of: %s", strings.Join(tokenGroups, ", "))
	}
	since, ok := parseSince(f.since, now)
	if !ok {
		return since, verb.WrongUsage(cmd, "--since must be a time as in 7d, 12h or 2026-07-01")
	}
	return since, nil
}

// mostDays is the longest time that can be asked for: some hundred years.
const mostDays = 36500

// parseSince returns the time that a text means.
func parseSince(text string, now time.Time) (time.Time, bool) {
	if day, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return day, true
	}
	number, unit := text[:len(text)-1], text[len(text)-1]
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > mostDays {
		return time.Time{}, false
	}
	switch unit {
	case 'd':
		return now.AddDate(0, 0, -n), true
	case 'h':
		return now.Add(-time.Duration(n) * time.Hour), true
	}
	return time.Time{}, false
}

// tokenAnswer is the answer of usage --since, as --json prints it.
type tokenAnswer struct {
	SchemaVersion int        `json:"schema_version"`
	Since         time.Time  `json:"since"`
	By            string     `json:"by"`
	Rows          []tokenRow `json:"rows"` // the most tokens first, or the latest day
}

type tokenRow struct {
	Name     string `json:"name"` // "-" where it is not known
	Sessions int    `json:"sessions"`
	tokens.Counts
}

// countTokens prints what the sessions of the accounts with the labels have used, of all without any.
func countTokens(s verb.Setup, labels []string, f tokenFlags, since time.Time) error {
	var keys []string
	if len(labels) > 0 {
		accounts, err := named(s, labels)
		if err != nil {
			return err
		}
		for _, acct := range accounts {
			keys = append(keys, acct.Key)
		}
	}
	all, err := usage.Survey(s.Store, s.SharedHome(), s.Now())
	if err != nil {
		return err
	}
	sum := tokenSum{by: f.by, since: since.Unix() / 3600, zone: s.Now().Location(), rows: map[string]*tokenRow{}}
	err = eachCounted(s, all, func(owner *usage.Surveyed, session tokens.Session) {
		maker := cmp.Or(owner, madeBy(all, transcript.Session{CreatorAccount: session.CreatorAccount, CreatorUser: session.CreatorUser}))
		if len(keys) > 0 && (maker == nil || !slices.Contains(keys, maker.Key)) {
			return
		}
		sum.add(session, whose(maker, session))
	})
	if err != nil {
		return err
	}
	return verb.Print(s.Call, tokenAnswer{1, since.UTC().Truncate(time.Second), f.by, sum.list()}, showTokens)
}

// eachCounted calls do for each session: those that the accounts share, and the private ones of their owners.
func eachCounted(s verb.Setup, all usage.AllAccounts, do func(*usage.Surveyed, tokens.Session)) error {
	if err := s.Store.MakeDir(usage.Dir(s.Store.Layout)); err != nil {
		return err
	}
	count := func(home, index string, owner *usage.Surveyed) error {
		list, err := tokens.Count(home, index)
		for _, session := range list {
			do(owner, session)
		}
		return err
	}
	if err := count(s.SharedHome(), filepath.Join(usage.Dir(s.Store.Layout), "tokens"), nil); err != nil {
		return err
	}
	for i, one := range all.Accounts {
		if one.Meta.State != account.StatePrivate {
			continue
		}
		if err := count(one.CodexHome(), filepath.Join(one.Dir, "tokens"), &all.Accounts[i]); err != nil {
			return err
		}
	}
	return nil
}

// whose returns the label of the account that made a session.
func whose(maker *usage.Surveyed, s tokens.Session) string {
	e := sessionEntry{isForeign: maker == nil && s.CreatorAccount != ""}
	if maker != nil {
		e.Label = maker.Meta.Label
	}
	return e.by()
}

// tokenSum adds up what sessions have used.
type tokenSum struct {
	by    string
	since int64 // in hours since 1970
	zone  *time.Location
	rows  map[string]*tokenRow
}

func (t *tokenSum) add(s tokens.Session, account string) {
	counted := map[string]bool{}
	for _, part := range s.Parts {
		if part.Hour < t.since {
			continue
		}
		name := account
		switch t.by {
		case "directory":
			name = s.Dir
		case "model":
			name = part.Model
		case "day":
			name = time.Unix(part.Hour*3600, 0).In(t.zone).Format(time.DateOnly)
		}
		name = cmp.Or(name, "-")
		if t.rows[name] == nil {
			t.rows[name] = &tokenRow{Name: name}
		}
		row := t.rows[name]
		row.Add(part.Counts)
		if !counted[name] {
			row.Sessions++
		}
		counted[name] = true
	}
}

func (t *tokenSum) list() []tokenRow {
	list := []tokenRow{}
	for _, row := range t.rows {
		list = append(list, *row)
	}
	slices.SortFunc(list, func(a, b tokenRow) int {
		if t.by == "day" {
			return strings.Compare(b.Name, a.Name)
		}
		return cmp.Or(cmp.Compare(b.Total, a.Total), strings.Compare(a.Name, b.Name))
	})
	return list
}

// showTokens prints the sums for people.
func showTokens(call *verb.Call, a tokenAnswer) error {
	if len(a.Rows) == 0 {
		call.Say("no session has used tokens since %s", a.Since.In(call.Now().Location()).Format("2 Jan 2006 15:04"))
		return nil
	}
	number := func(of func(tokenRow) int64) func(tokenRow) string {
		return func(r tokenRow) string { return fmt.Sprint(of(r)) }
	}
	return call.Show(call.Table([]terminal.Column{
		terminal.NewColumn(strings.ToUpper(a.By), a.Rows, func(r tokenRow) string { return oneLine(r.Name) }),
		terminal.NewColumn("SESSIONS", a.Rows, number(func(r tokenRow) int64 { return int64(r.Sessions) })),
		terminal.NewColumn("INPUT", a.Rows, number(func(r tokenRow) int64 { return r.Input })),
		terminal.NewColumn("CACHED", a.Rows, number(func(r tokenRow) int64 { return r.Cached })),
		terminal.NewColumn("OUTPUT", a.Rows, number(func(r tokenRow) int64 { return r.Output })),
		terminal.NewColumn("TOTAL", a.Rows, number(func(r tokenRow) int64 { return r.Total })),
	}))
}
