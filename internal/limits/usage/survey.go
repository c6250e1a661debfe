package usage

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/account/store"
	"swop/internal/limits/pool"
	"swop/internal/say"
	"swop/shim"
)

// Surveyed is an account with its login and the last reading of its limits.
type Surveyed struct {
	account.Account
	Login    login.Login
	Identity login.Identity
	Entry    Entry

	loginTime int64
}

// AllAccounts are all accounts that can be read, by label.
type AllAccounts struct {
	Accounts []Surveyed

	layout  account.Layout
	now     time.Time
	defects []defect
}

// defect is the error of an account that cannot be read.
type defect struct {
	key string
	error
}

// Survey reads the logins of all accounts and the readings of their limits. An account that cannot be read is left out: see
// [AllAccounts.PassedOver].
func Survey(s store.Store, now time.Time) (AllAccounts, error) {
	all := AllAccounts{layout: s.Layout, now: now}
	err := s.Each(func(acct account.Account, err error) {
		var one Surveyed
		if err == nil {
			one, err = surveyOne(s.Layout, acct, now)
		}
		if err == nil {
			all.Accounts = append(all.Accounts, one)
		} else {
			all.defects = append(all.defects, defect{acct.Key, err})
		}
	})
	slices.SortStableFunc(all.Accounts, func(a, b Surveyed) int { return strings.Compare(a.Meta.Label, b.Meta.Label) })
	return all, err
}

// PassedOver returns an error that names the accounts of the pool that cannot be read, nil for none.
func (all AllAccounts) PassedOver(p config.Pool) error {
	var list []error
	for _, d := range all.unreadable(p) {
		list = append(list, say.WithHint(fmt.Errorf("account %q cannot be read, and is passed over", d.key), "codex swop doctor"))
	}
	return errors.Join(list...)
}

// unreadable returns the defects of accounts of the pool.
func (all AllAccounts) unreadable(p config.Pool) []defect {
	return slices.DeleteFunc(slices.Clone(all.defects),
		func(d defect) bool {
			return len(p.Accounts) > 0 && !slices.Contains(p.Accounts, d.key) || slices.Contains(p.Held, d.key)
		})
}

func surveyOne(l account.Layout, acct account.Account, now time.Time) (one Surveyed, err error) {
	one.Account = acct
	if one.loginTime, err = acct.LoginTime(); err != nil { // before the login is read
		return one, err
	}
	one.Login, one.Identity = login.Of(acct), login.IdentityOf(acct)
	one.Entry = Load(l, acct.Key, one.Identity.Digest(), one.loginTime, now)
	return one, nil
}

// known returns the account for package pool.
func (s Surveyed) known() pool.Account {
	a := s.Entry.known()
	a.Key = s.Key
	switch {
	case s.Meta.Unfinished:
		a.Login = pool.NoLogin
	case s.Login.Mode == "chatgpt", s.Login.Mode == "keyring": // a.Login is the entry's
	case s.Login.Mode == "api-key":
		a.Login = pool.APIKey
	default:
		a.Login = pool.NoLogin
	}
	return a
}

// Known returns all accounts for package pool, except for confined ones, whose sessions no other account goes on with.
func (all AllAccounts) Known() (known []pool.Account) {
	for _, s := range all.Accounts {
		if s.Meta.Confine == "" {
			known = append(known, s.known())
		}
	}
	return known
}

// Find returns the account with the key, nil if it is missing.
func (all AllAccounts) Find(key string) *Surveyed {
	for i := range all.Accounts {
		if all.Accounts[i].Key == key {
			return &all.Accounts[i]
		}
	}
	return nil
}

// ErrNobody says that no account of a pool can be used now.
var ErrNobody = errors.New("no account can be used")

// PoolNamed returns the pool with the key. The error for one that does not exist wraps [account.ErrNoAccount].
func PoolNamed(settings config.Settings, key string) (config.Pool, error) {
	p, ok := settings.Pool(key)
	if !ok {
		err := say.Refuse(account.ErrNoAccount, fmt.Sprintf("no pool %q", key))
		return p, say.WithHint(err, fmt.Sprintf("add it to config.toml: [pool.%s] with accounts = [\"LABEL\", …]", key))
	}
	return p, nil
}

// Pick returns the account that a start in the directory takes from the pool.
func (all AllAccounts) Pick(settings config.Settings, key, dir string) (pool.Decision, error) {
	p, err := PoolNamed(settings, key)
	if err != nil {
		return pool.Decision{}, err
	}
	d := all.Choose(p, dir)
	if d.Reason == pool.Nobody {
		if defects := all.unreadable(p); len(defects) > 0 {
			return d, defects[0].error
		}
		return d, Unusable(key)
	}
	return d, nil
}

// Unusable returns the error, which wraps [ErrNobody], for the pool with the key if none of its accounts can be used.
func Unusable(key string) error {
	text := fmt.Sprintf("no account of the pool %q can be used: each has no ChatGPT login, is refused by the server, on hold or confined", key)
	return say.WithHint(say.Refuse(ErrNobody, text), "codex swop list")
}

// WayBack adds to an error of [AllAccounts.Pick] the command that ends the choice of the pool here.
func WayBack(err error, c shim.Choice) error {
	hint := "codex swop use LABEL"
	switch c.Why {
	case shim.ByVariable:
		hint = "unset SWOP_ACCOUNT"
	case shim.ByBinding:
		hint = "codex swop unbind " + say.ShellQuote(c.Path)
	}
	return say.WithHint(err, hint)
}

// Choose returns the account that a start in the directory takes from the pool; its reason may be [pool.Nobody].
func (all AllAccounts) Choose(p config.Pool, dir string) pool.Decision {
	return pool.Choose(p, all.Known(), pool.ReadLast(all.layout).Of(dir).Key, all.now)
}

// NoRoom returns the message for a decision where all accounts of the pool are full, "" for others.
func (all AllAccounts) NoRoom(key string, d pool.Decision) string {
	chosen := all.Find(d.Key)
	if d.Reason != pool.Soonest || chosen == nil {
		return ""
	}
	when := When(d.FreeAt, all.now)
	return fmt.Sprintf("all accounts of the pool %q are at their limit; %q resets first, %s", key, chosen.Meta.Label, when)
}

// Remember writes the last choice in the directory, which the fast path reads.
func (all AllAccounts) Remember(dir, key string) error {
	if dir == "" {
		return nil
	}
	chosen := pool.Chosen{Dir: dir, Key: key}
	if one := all.Find(key); one != nil && one.known().Login == pool.ChatGPT {
		chosen.Login = one.loginTime
	}
	return pool.ChangeLast(all.layout, func(last pool.Last) pool.Last {
		if last.Of(dir) == chosen {
			return last
		}
		return last.With(chosen)
	})
}

// When returns a time for people, in the zone of now, with the day unless it is today.
func When(t, now time.Time) string {
	t = t.In(now.Location())
	switch {
	case t.YearDay() == now.YearDay() && t.Year() == now.Year():
		return "at " + t.Format("15:04")
	case t.Sub(now) < 6*24*time.Hour:
		return "on " + t.Format("Mon 15:04")
	}
	return "on " + t.Format("2 Jan 15:04")
}
