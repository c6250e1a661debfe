package limits

import (
	"context"
	"syscall"
	"time"

	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/limits/usage"
	"swop/internal/session"
	"swop/manager/verb"
	"swop/shim"
)

// asker asks codex for the limits of accounts.
type asker struct {
	verb.Setup
	usageFlags
	real shim.Program
}

// newAsker returns an asker, which with f.cached only reads stored answers.
func newAsker(s verb.Setup, f usageFlags) (asker, error) {
	q := asker{Setup: s, usageFlags: f}
	var err error
	if !f.cached {
		q.real, err = s.Codex()
	}
	return q, err
}

// read returns the limits of one account: see [asker.readAll].
func (q asker) read(acct account.Account) (usage.Entry, error) {
	list, err := q.readAll([]account.Account{acct})
	if err != nil {
		return usage.Entry{}, err
	}
	return list[0], nil
}

// readAll returns the limits of the accounts, in their order: the stored answer if it is new enough, else codex's. One account is asked
// after the other: several that renew their logins at the same moment may lose them. An entry has the last problem beside the last answer.
// If a signal comes, the error is a [verb.Exited].
func (q asker) readAll(accounts []account.Account) ([]usage.Entry, error) {
	ctx, end := verb.UntilSignal(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP) // which end the wait, and no codex
	list := make([]usage.Entry, len(accounts))
	for i, acct := range accounts {
		auth, _ := acct.LoginTime() // a file that cannot be seen is not noted as refused
		e, asks := q.last(acct, auth)
		if asks {
			e = q.ask(ctx, acct, e.Login, answer{at: account.Seconds(q.Now()), auth: auth})
			if ctx.Err() != nil {
				break
			}
		}
		list[i] = e
	}
	return list, end()
}

// last returns the last answer about the account's limits, and whether to ask codex again. The problem of an account without a plan is in
// the entry.
func (q asker) last(acct account.Account, auth int64) (e usage.Entry, ask bool) {
	e = usage.Load(q.Store.Layout, acct.Key, login.IdentityOf(acct).Digest(), auth, q.Now())
	switch login.Of(acct).Mode {
	case "chatgpt", "keyring":
	case "api-key":
		e.Problem = usage.APIKey
		return e, false
	default:
		e.Problem = usage.LoggedOut
		return e, false
	}
	if q.cached || e.Fresh(q.Now(), q.maxAge) {
		return e, false
	}
	if login.CheckConfig(acct, account.CodexCall{Dir: "/", Shared: q.SharedHome()}) != nil {
		e.Problem = usage.Forced // 0.169 answers as if it were logged out; `exec` deletes the login
		return e, false
	}
	return e, true
}

// answer is codex's answer about an account's limits.
type answer struct {
	at      time.Time
	auth    int64 // the time of the login's file, before the question
	reading usage.Reading
	problem usage.Problem
}

// ask asks codex as the account, and stores the answer under the account's lock. An account that was removed or renamed a moment ago is
// logged out.
func (q asker) ask(ctx context.Context, acct account.Account, login string, a answer) usage.Entry {
	acct, l, err := q.FindLocked(acct.Meta.Label)
	if err != nil {
		return usage.Entry{Problem: usage.LoggedOut}
	}
	defer l.Release()
	i, p := q.Invocation, shim.Prepared{Account: acct, Root: q.Root, Settings: q.Settings}
	i.Env = i.Env.WithoutCredentials()
	codex := session.Question(i, p, q.real, usage.Databases(acct))
	asking, cancel := context.WithTimeout(ctx, q.timeout)
	defer cancel()
	a.reading, err = usage.Ask(asking, codex.Talk, a.at)
	a.problem = usage.ProblemOf(err)
	if ctx.Err() != nil {
		return usage.Entry{}
	}
	return q.record(acct, login, a)
}

// record stores an answer about the login, and returns the entry.
func (q asker) record(acct account.Account, login string, a answer) usage.Entry {
	e := usage.Load(q.Store.Layout, acct.Key, login, a.auth, a.at) // again: another verb may have marked the account meanwhile
	e = e.Note(a.reading, a.problem, a.auth, a.at)
	_ = usage.Store(q.Store.Layout, acct.Key, e) // an answer that is not stored is asked for again
	return e
}
