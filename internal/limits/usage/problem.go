package usage

import (
	"cmp"
	"errors"
)

// Problem is the reason why an account's limits could not be read: one of swop's own words, never the server's text.
type Problem string

// The problems.
const (
	LoggedOut   Problem = "logged-out"  // the account has no login
	APIKey      Problem = "api-key"     // the login is an API key, which has no plan
	Forced      Problem = "forced"      // codex's configuration demands another login
	Refused     Problem = "refused"     // the server does not accept the login
	Expired     Problem = "expired"     // a session of the confined account has to renew the login first
	Offline     Problem = "offline"     // the server could not be reached
	Failed      Problem = "failed"      // the server answered with another error
	Timeout     Problem = "timeout"     // codex did not answer in time
	Unsupported Problem = "unsupported" // this release of codex cannot be asked
	Unreadable  Problem = "unreadable"  // swop cannot read the answer
)

// problems has a text for each problem, for people.
var problems = map[Problem]string{
	LoggedOut:   "not logged in, or the login cannot be read",
	APIKey:      "an API key has no plan limits",
	Forced:      "codex's configuration demands another login: codex swop doctor",
	Refused:     "the server refuses the login",
	Expired:     "the next session renews the login",
	Offline:     "the server cannot be reached",
	Failed:      "the server answered with an error",
	Timeout:     "codex did not answer in time",
	Unsupported: "this release of codex cannot be asked",
	Unreadable:  "codex's answer cannot be read",
}

func (p Problem) Error() string {
	return cmp.Or(problems[p], "not known")
}

// MayPass reports whether the next question may get an answer although nothing here has changed.
func (p Problem) MayPass() bool {
	return p == Offline || p == Failed || p == Timeout || p == Unreadable
}

// ProblemOf returns the problem for an error of [Ask], "" for nil. A codex that could not be started is [Unsupported].
func ProblemOf(err error) Problem {
	if p, ok := errors.AsType[Problem](err); ok || err == nil {
		return p
	}
	return Unsupported
}
