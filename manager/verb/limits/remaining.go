package limits

import (
	"time"

	"swop/internal/account/login"
	"swop/internal/limits/usage"
	"swop/manager/terminal"
	"swop/manager/verb"
)

// Left is what remains of an account's limits by the last answer.
type Left struct {
	Windows []usageWindow `json:"windows"`
	ReadAt  *time.Time    `json:"read_at"` // null: never
}

// LeftOf returns what remains of the limits of the account with the key, by the last answer.
func LeftOf(s verb.Setup, key string) Left {
	acct, err := s.Store.Account(key)
	if err != nil {
		return Left{Windows: []usageWindow{}}
	}
	e := newUsageEntry(acct, login.Login{}, usage.Last(s.Store.Layout, acct, s.Now()), s.Now())
	return Left{e.Windows, e.ReadAt}
}

// LeftColumns returns a column for each window that an account has, the shortest first.
func LeftColumns(of []Left) []terminal.Column {
	return windowColumns(of, func(l Left) []usageWindow { return l.Windows }, usageWindow.left)
}
