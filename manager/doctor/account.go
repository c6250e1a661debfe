package doctor

import (
	"fmt"

	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/home"
	"swop/internal/limits/pool"
	"swop/internal/limits/usage"
	"swop/internal/say"
)

func checkFiles(x *exam) []Finding {
	if x.Err != nil {
		return failed(x.Err)
	}
	if err := x.Store.Try(); err != nil {
		err = fmt.Errorf("starts that have to write in %s or lock a file there fail: %w", x.Places.Root, err)
		return failed(say.WithHint(err, "codex without an account still runs: SWOP_BYPASS=1 codex"))
	}
	found := fine("the root %s and the configuration in %s can be used", x.Places.Root, x.Places.Config)
	for _, other := range x.Store.Elsewhere(x.Env, "") {
		found = append(found, warn(other.Line, "%s has accounts, too, which codex does not use here", say.Name(other.Dir))...)
	}
	return found
}

func checkChoice(x *exam) []Finding {
	label := x.Choice.Label
	switch _, err := x.Store.Find(label); {
	case x.ChoiceErr != nil:
		return failed(x.ChoiceErr)
	case label == "":
		return fine("codex runs without an account here")
	case err != nil:
		return warn("codex swop add "+say.ShellQuote(label), "codex would run as %q here, which is not added yet", label)
	}
	return fine("codex runs as %q here", label)
}

func checkEnvironment(x *exam) (found []Finding) {
	for _, name := range x.Env.Credentials() {
		found = append(found, warn("unset "+name, "%s is set: codex prefers it to any account's login", name)...)
	}
	return found
}

// checkAccounts returns a problem for each account that cannot be read.
func checkAccounts(x *exam) (found []Finding) {
	for _, err := range x.unread {
		found = append(found, failed(err)...)
	}
	return found
}

// patient is an account that is examined.
type patient struct {
	account.Account
	defects []home.Defect
}

// ofEach returns a check that runs these checks for each account. If the entries of an account cannot be examined, that is its only
// finding.
func ofEach(checks ...func(*exam, patient) []Finding) func(*exam) []Finding {
	return func(x *exam) (all []Finding) {
		for _, acct := range x.accounts {
			defects, err := home.Homes{Store: x.Store, Root: x.Root, Settings: x.Settings}.Examine(acct)
			found := failed(err)
			for _, run := range checks {
				if err == nil {
					found = append(found, run(x, patient{acct, defects})...)
				}
			}
			all = append(all, named(fmt.Sprintf("account %q", acct.Meta.Label), found)...)
		}
		return all
	}
}

func checkLogin(x *exam, p patient) []Finding {
	shown := login.Of(p.Account, x.Root.SharedHome.Path)
	hint := "codex swop login " + say.ShellQuote(p.Meta.Label)
	switch shown.Mode {
	case "none":
		return warn(hint, "has no login")
	case "unknown":
		_, err := login.Store(x.Root.SharedHome.Path)
		return failed(err)
	case "unreadable":
		return problem(hint, "its auth.json holds no login that codex can read")
	}
	if shown.Changed {
		return warn("", "it has another login than at its last start: %s", shown.Text())
	}
	if room, _ := usage.Last(x.Store.Layout, p.Account, x.Now()).Room(100, x.Now()); room == pool.Denied {
		return warn(hint, "the server refuses its login")
	}
	return fine("login: %s", shown.Text())
}

func checkConfig(x *exam, p patient) []Finding {
	found := failed(login.CheckConfig(p.Account, account.CodexCall{}))
	return append(found, failed(login.CheckStore(&x.Settings, &p.Meta, x.Root.SharedHome.Path))...)
}

// checkEntries returns a finding for each entry that the account does not share, and that the next start cannot repair.
func checkEntries(_ *exam, p patient) (found []Finding) {
	for _, d := range p.defects {
		if d.Do == "" {
			found = append(found, fine("%s %s", d.Name, d.Text)...)
		} else {
			found = append(found, warn(d.Do, "%s %s", d.Name, d.Text)...)
		}
	}
	return found
}
