package limits

import (
	"fmt"
	"path/filepath"
	"slices"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/process"
	"swop/internal/disk"
	"swop/manager/verb"
)

// handOver frees the session for the account with the key to; "" is no account. It fails where that account cannot go on with the session.
func handOver(s verb.Setup, e sessionEntry, to string) error {
	acct, err := s.Store.Account(to)
	switch {
	case e.isPrivate && e.Key != to:
		return disk.Unsafe("the session is in the private state of %q, and no other account sees it", e.Label)
	case err == nil && !e.isPrivate && acct.Meta.State == account.StatePrivate:
		return disk.Unsafe("account %q has private sessions, and cannot resume those of other accounts", acct.Meta.Label)
	}
	return release(s, e, to)
}

// release stops the background server of another account that has the session open: since 0.155 a server holds a session for half an hour
// after its terminal was closed, and no other codex can go on with it. A server that a session uses is not stopped; one at work only if the
// user agrees. If another program has the session open, codex itself says so.
func release(s verb.Setup, e sessionEntry, to string) error {
	holder, held := process.LockHolder(filepath.Join(s.SharedHome(), "thread-writer-locks", e.ID+".lock"))
	if e.isPrivate || !held { // the lock of a private session is its account's own: another session's server is not stopped by the ID
		return nil
	}
	accounts, _ := s.Store.Accounts() // the server of one that cannot be read stays, and codex says so
	for _, acct := range accounts {
		if acct.Key != to && servedBy(acct.CodexHome(), holder.PID) {
			return stopUnused(s, acct.CodexHome(), s.InAccount(acct), fmt.Sprintf("under %q", acct.Meta.Label))
		}
	}
	if home := s.SharedHome(); to != "" && servedBy(home, holder.PID) {
		return stopUnused(s, home, s.Env.With("CODEX_HOME", home), "without an account")
	}
	return nil
}

// servedBy reports whether the process is a background server of the codex home.
func servedBy(codexHome string, pid int) bool {
	survey, _ := process.TakeSurvey() // a process that cannot be seen is no server
	return slices.ContainsFunc(survey.Servers(codexHome), func(p process.Process) bool { return p.PID == pid })
}

// stopUnused stops the background server of a codex home unless a session uses it. whose names the account of the server, for the error.
func stopUnused(s verb.Setup, codexHome string, env config.Env, whose string) error {
	if err := verb.RefuseUseOf("the session, which codex has open "+whose+",", codexHome, process.NoLock); err != nil {
		return err
	}
	return s.StopServerAt(codexHome, env, verb.RefuseBusy)
}
