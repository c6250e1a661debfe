// Package doctor, swop's own, examines the installation and the accounts. A check is a function that returns findings, and its row in
// [checks]. It prints nothing, and changes nothing but the stored answer of npm's launcher.
package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/store"
	"swop/internal/say"
	"swop/shim"
)

// A Finding is the result of a check.
type Finding struct {
	Name  string `json:"name"`
	State string `json:"state"`
	Text  string `json:"text"`
	Hint  string `json:"hint,omitempty"`
	Group string `json:"-"` // the title above it
}

// The states of a finding.
const (
	OK      = "ok"
	Warning = "warning"
	Problem = "problem"
)

// Subject is the installation to examine.
type Subject struct {
	shim.Invocation
	Store     store.Store
	Settings  config.Settings
	Err       error       // why the files could not be read; the fields of Invocation may be set all the same
	Choice    shim.Choice // the account that codex would run as
	ChoiceErr error
	Program   string // the path of codex-swop
	Now       func() time.Time
}

// exam is a subject, with the accounts.
type exam struct {
	Subject
	accounts []account.Account
	unread   []error // of the accounts that cannot be read
}

// A check is one question about the subject.
type check struct {
	group string // of its findings
	name  string // of its findings without a name
	run   func(*exam) []Finding
}

// The groups of findings, in this order.
const (
	programsGroup = "Programs"
	choiceGroup   = "Choice"
	accountsGroup = "Accounts"
)

// checks are all checks, in the order of their findings: first those that need no file of swop's.
func checks() (first, others []check) {
	first = []check{
		{programsGroup, "path", checkPath},
		{programsGroup, "files", checkFiles},
	}
	others = []check{
		{programsGroup, "real codex", checkCodex},
		{programsGroup, "fast start", checkFastStart},
		{choiceGroup, "choice", checkChoice},
		{choiceGroup, "environment", checkEnvironment},
		{choiceGroup, "login", checkWhose},
		{accountsGroup, "accounts", checkAccounts},
		{accountsGroup, "git", checkGit},
		{accountsGroup, "confinement", checkConfinement},
		{accountsGroup, "account", ofEach(checkLogin, checkConfig, checkEntries)},
	}
	return first, others
}

// Examine returns the findings of all checks. If swop's files cannot be read, the checks that need them are left out.
func (s Subject) Examine() (all []Finding) {
	x := &exam{Subject: s}
	asked, others := checks()
	if s.Err == nil {
		err := s.Store.Each(func(a account.Account, err error) {
			if err != nil {
				x.unread = append(x.unread, err)
			} else {
				x.accounts = append(x.accounts, a)
			}
		})
		x.unread = append(x.unread, err)
		asked = append(asked, others...)
	}
	for _, c := range asked {
		for _, f := range named(c.name, c.run(x)) {
			f.Group = c.group
			all = append(all, f)
		}
	}
	direct := s.runsShim()
	for i, f := range all { // a codex that is not the shim takes "swop" for a prompt
		if rest, ok := strings.CutPrefix(f.Hint, "codex swop "); ok && !direct {
			all[i].Hint = say.ShellQuote(x.shim()) + " swop " + rest
		}
	}
	return all
}

// named gives the name to the findings that have none.
func named(name string, found []Finding) []Finding {
	for i, f := range found {
		if f.Name == "" {
			found[i].Name = name
		}
	}
	return found
}

func fine(format string, args ...any) []Finding {
	return []Finding{{State: OK, Text: fmt.Sprintf(format, args...)}}
}

func warn(hint, format string, args ...any) []Finding {
	return []Finding{{State: Warning, Text: fmt.Sprintf(format, args...), Hint: hint}}
}

func problem(hint, format string, args ...any) []Finding {
	return []Finding{{State: Problem, Text: fmt.Sprintf(format, args...), Hint: hint}}
}

// failed returns err as a problem with its first hint, nothing for nil.
func failed(err error) []Finding {
	if err == nil {
		return nil
	}
	return problem(append(say.Hints(err), "")[0], "%v", err)
}

// Any reports whether a finding has one of the states.
func Any(found []Finding, states ...string) bool {
	return slices.ContainsFunc(found, func(f Finding) bool { return slices.Contains(states, f.State) })
}
