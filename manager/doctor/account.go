package doctor

import (
	"errors"
	"fmt"
	"strings"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/account/store"
	"swop/internal/home"
	"swop/internal/limits/pool"
	"swop/internal/limits/usage"
	"swop/internal/say"
	"swop/internal/session"
)

func checkFiles(x *exam) {
	if x.err != nil {
		x.failed(x.err)
		return
	}
	if err := x.Store.Try(); err != nil {
		err = fmt.Errorf("starts that have to write in %s or lock a file there fail: %w", x.Places.Root, err)
		x.failed(say.WithHint(err, "codex without an account still runs: SWOP_BYPASS=1 codex"))
		return
	}
	x.fine("the root %s and the configuration in %s can be used", x.Places.Root, x.Places.Config)
	for _, other := range x.Store.Elsewhere(x.Env, "") {
		x.warn(other.Line, "%s has accounts, too, which codex does not use here", say.Name(other.Dir))
	}
}

func checkChoice(x *exam) {
	label := x.choice.Label
	switch _, err := x.Store.Find(label); {
	case x.choiceErr != nil:
		x.failed(x.choiceErr)
	case label == "":
		x.fine("codex runs without an account here")
	case errors.Is(err, account.ErrNoAccount):
		x.warn(strings.Join(say.Hints(err), "; "), "codex would run as %q here, which is not added yet", label)
	case err != nil:
		x.failed(err)
	default:
		x.fine("codex runs as %q here", label)
	}
	selector, _ := config.ReadSelector(x.Places) // the choice failed by the same error
	for _, b := range selector.Directory {
		if missing := store.MissingOf(x.Store, b, x.Settings); missing != "" {
			x.warn("codex swop unbind "+say.ShellQuote(b.Path), "%s is bound to %q: the %s is missing", say.Name(b.Path), b.Account, missing)
		}
	}
}

func checkEnvironment(x *exam) {
	for _, name := range x.Env.Credentials() {
		x.warn("unset "+name, "%s is set: codex prefers it to any account's login", name)
	}
}

// checkAccounts finds the accounts, and adds a problem for each that cannot be read. What config.toml says of another one, as a misspelt
// one, holds for none.
func checkAccounts(x *exam) {
	x.failed(x.Store.Each(func(a account.Account, err error) {
		if err == nil {
			x.accounts = append(x.accounts, a)
		}
		x.failed(err)
	}))
	for _, stray := range x.Store.Strays(x.Settings) {
		x.warn(append(say.Hints(stray), "")[0], "%v", stray)
	}
}

// checkEach examines each account. If the entries of an account cannot be examined, that is its only finding.
func checkEach(x *exam) {
	for _, acct := range x.accounts {
		x.name = fmt.Sprintf("account %q", acct.Meta.Label)
		defects, err := home.Homes{Store: x.Store, Root: x.Root, Settings: x.Settings}.Examine(acct)
		if err != nil {
			x.failed(err)
			continue
		}
		x.checkLogin(acct)
		x.failed(login.CheckConfig(acct, account.CodexCall{}))
		for _, d := range defects { // the entries that the account does not share, and that the next start cannot repair
			if d.Do == "" {
				x.fine("%s %s", d.Name, d.Text)
			} else {
				x.warn(d.Do, "%s %s", d.Name, d.Text)
			}
		}
	}
}

func (x *exam) checkLogin(acct account.Account) {
	shown := login.Of(acct)
	label := say.ShellQuote(acct.Meta.Label)
	hint, refused := "codex swop login "+label, session.CheckLogin(&x.Settings, acct, x.SharedHome())
	room, _ := usage.Last(x.Store.Layout, acct, x.Now()).Room(100, x.Now())
	switch {
	case refused != nil:
		x.failed(refused)
	case shown.Mode == "none":
		x.warn(hint, "has no login")
	case shown.Mode == "unknown":
		_, err := login.Store(acct.CodexHome())
		x.failed(err)
	case shown.Mode == "unreadable":
		x.problem(hint, "its auth.json holds no login that codex can read")
	case shown.Changed:
		x.warn("", "it has another login than at its last start: %s", shown.Text())
	case room == pool.Denied:
		x.warn(hint, "the server refuses its login")
	default:
		x.fine("login: %s", shown.Text())
	}
}
