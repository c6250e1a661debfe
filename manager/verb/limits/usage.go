// Package limits, swop's own, has the verbs about the limits of accounts, and those that go on with a session.
package limits

import (
	"cmp"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/limits/pool"
	"swop/internal/limits/usage"
	"swop/internal/say"
	"swop/manager/verb"
)

// usageFlags are the flags of usage, and the bounds of other verbs that ask codex for limits.
type usageFlags struct {
	cached  bool
	maxAge  time.Duration
	timeout time.Duration
	failAt  int           // percent; 0 for none
	every   time.Duration // with --watch, how long after a round the next one begins
}

// The defaults: how old an answer may be before codex is asked again, and how long it may take to answer.
const (
	usageAge     = 10 * time.Minute
	usageTimeout = 5 * time.Second
	limitTimeout = 30 * time.Second // where nothing can be done without an answer
)

func Usage(call *verb.Call) *cobra.Command {
	var f usageFlags
	var watches bool
	cmd := &cobra.Command{
		Use:   "usage [LABEL…]",
		Short: "Show how much of each account's limits remains",
		Long: "Show how much of each account's limits remains, and when they reset. The real codex asks, as that account; an answer holds " +
			"for ten minutes. No limits can be seen of an API key.\n\nWith --watch it asks again, one account after the other, and shows the " +
			"answers in place until Ctrl-C.\n\nWith --fail-at the exit status is 7 if an account has used at least so many percent of any " +
			"window.",
		ValidArgsFunction: verb.CompleteWords(call.Complete(verb.Labels)),
		Example: verb.Example("codex swop usage", "codex swop usage work --max-age 0", "codex swop usage --cached --json",
			"codex swop usage work --fail-at 90", "codex swop usage --watch --every 30m"),
		RunE: func(cmd *cobra.Command, labels []string) error {
			switch {
			case cmd.Flags().Changed("fail-at") && (f.failAt < 1 || f.failAt > 100):
				return verb.WrongUsage(cmd, "--fail-at must be a number from 1 to 100")
			case !watches && cmd.Flags().Changed("every"):
				return verb.WrongUsage(cmd, "--every needs --watch")
			case f.every < leastEvery:
				return verb.WrongUsage(cmd, "--every must be at least 1m")
			case f.timeout <= 0 || f.maxAge < 0:
				return verb.WrongUsage(cmd, "--timeout must be more than 0, and --max-age 0 or more")
			case !watches:
				return verb.With(call.Open, func(s verb.Setup, labels []string) error { return printUsage(s, labels, f, showUsage) })(cmd, labels)
			}
			if err := verb.Exclusive(cmd, "watch", "cached", "fail-at", "max-age"); err != nil {
				return err
			}
			return verb.With(call.Open, func(s verb.Setup, labels []string) error { return watch(s, labels, f) })(cmd, labels)
		},
	}
	call.JSONFlag(cmd)
	cmd.Flags().BoolVar(&f.cached, "cached", false, "ask nobody: show the last answers")
	cmd.Flags().DurationVar(&f.maxAge, "max-age", usageAge, "ask again if an answer is older: `AGE`")
	cmd.Flags().DurationVar(&f.timeout, "timeout", usageTimeout, "wait for each answer of codex at most this `TIME`")
	cmd.Flags().BoolVar(&watches, "watch", false, "ask again and again, until Ctrl-C")
	cmd.Flags().DurationVar(&f.every, "every", 10*time.Minute, "with --watch, ask again after this `TIME`")
	cmd.Flags().IntVar(&f.failAt, "fail-at", 0, "exit 7 if an account has used `PERCENT` of any window")
	return cmd
}

// usageAnswer is the answer of the verb, as --json prints it: accounts by key, or in the order in which they were named.
type usageAnswer struct {
	SchemaVersion int          `json:"schema_version"`
	Accounts      []usageEntry `json:"accounts"`
}

// usageEntry is what is known of the limits of an account.
type usageEntry struct {
	Label        string        `json:"label"`
	Key          string        `json:"key"`
	Mode         string        `json:"mode"` // as in list
	Plan         string        `json:"plan,omitempty"`
	Organization string        `json:"organization,omitempty"` // as in list
	Workspace    string        `json:"workspace,omitempty"`    // as in list
	Hold         bool          `json:"hold,omitempty"`         // as in list
	Windows      []usageWindow `json:"windows"`
	Reached      string        `json:"limit_reached,omitempty"`
	BlockedUntil *time.Time    `json:"blocked_until,omitempty"` // marked by next
	ReadAt       *time.Time    `json:"read_at"`                 // null: never
	Problem      usage.Problem `json:"problem,omitempty"`       // why ReadAt is not newer
}

type usageWindow struct {
	pool.Window
	Left int `json:"left_percent"`
}

// hasUsed reports whether so many percent of any window are used.
func (e usageEntry) hasUsed(percent int) bool {
	return slices.ContainsFunc(e.Windows, func(w usageWindow) bool { return w.Used >= percent })
}

// isRead reports whether the limits could be read now.
func (e usageEntry) isRead() bool { return e.ReadAt != nil && e.Problem == "" }

// newUsageEntry returns the entry for a reading of limits, at the time now. Until a plan is read, the plan is the login's.
func newUsageEntry(acct account.Account, l login.Login, e usage.Entry, now time.Time) usageEntry {
	u := usageEntry{Label: acct.Meta.Label, Key: acct.Key, Mode: l.Mode, Plan: l.Plan, Windows: []usageWindow{}, Problem: e.Problem}
	u.Organization, u.Workspace = l.Organization, l.Workspace
	if e.BlockedUntil.After(now) {
		u.BlockedUntil = &e.BlockedUntil
	}
	if e.Reading == nil {
		return u
	}
	u.ReadAt, u.Plan, u.Reached = &e.ReadAt, cmp.Or(e.Reading.Plan, l.Plan), e.Reading.Reached
	if u.Reached == usage.LimitReached && len(e.Reading.Windows) > 0 && u.BlockedUntil == nil {
		u.Reached = "" // it was reset since
	}
	for _, w := range e.Reading.Windows {
		u.Windows = append(u.Windows, usageWindow{w.At(now), 100 - w.At(now).Used})
	}
	return u
}

// printUsage prints the limits of the accounts with the labels, without labels of all, for people by show. If no limits could be read, the
// error is a [verb.Exited].
func printUsage(s verb.Setup, labels []string, f usageFlags, show func(*verb.Call, usageAnswer) error) error {
	accounts, err := named(s, labels)
	if err != nil {
		return err
	}
	q, err := newAsker(s, f)
	if err != nil {
		return err
	}
	entries, err := q.readAll(accounts)
	if err != nil {
		return err
	}
	all, _ := s.Store.Accounts() // other verbs report accounts that cannot be read
	list, logins := make([]usageEntry, len(accounts)), s.Logins(all)
	for i, e := range entries {
		list[i] = newUsageEntry(accounts[i], logins[accounts[i].Key], e, s.Now())
		list[i].Hold = s.Settings.Accounts[accounts[i].Key].Hold
	}
	err = verb.Print(s.Call, usageAnswer{1, list}, show)
	switch {
	case err != nil:
		return err
	case f.failAt > 0 && slices.ContainsFunc(list, func(e usageEntry) bool { return e.hasUsed(f.failAt) }):
		return verb.Exited(verb.StatusUsed)
	case !slices.ContainsFunc(list, usageEntry.isRead):
		return verb.Exited(verb.StatusFailed)
	}
	return nil
}

// named returns the accounts with the labels, each once; without labels all.
func named(s verb.Setup, labels []string) ([]account.Account, error) {
	if len(labels) == 0 {
		all, err := s.Store.Accounts()
		if err != nil {
			say.Error(s.Stderr, err) // the others can be asked
		}
		return all, nil
	}
	var list []account.Account
	for _, label := range labels {
		acct, err := s.Store.Find(label)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(list, func(other account.Account) bool { return other.Key == acct.Key }) {
			list = append(list, acct)
		}
	}
	return list, nil
}
