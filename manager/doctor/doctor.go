// Package doctor, swop's own, examines the installation and the accounts. A check is a function that adds findings, and its row in
// [Examine]. It prints nothing, and changes nothing but the stored answer of npm's launcher.
package doctor

import (
	"fmt"
	"strings"

	"swop/internal/account"
	"swop/internal/say"
	"swop/manager/verb"
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

// exam is the installation to examine, with the accounts and the findings so far.
type exam struct {
	verb.Setup
	err       error       // why the files could not be read
	choice    shim.Choice // the account that codex would run as
	choiceErr error
	accounts  []account.Account // that can be read, once checkAccounts has run
	direct    bool              // codex is the shim on the caller's PATH
	group     string            // of the next findings
	name      string            // of the next findings
	found     []Finding
}

// The groups of findings, in this order.
const (
	programsGroup = "Programs"
	choiceGroup   = "Choice"
	accountsGroup = "Accounts"
)

// Examine returns the findings of all checks. If swop's files cannot be read, for which err is the reason, the checks that need them are
// left out; a part of s may be set all the same.
func Examine(s verb.Setup, err error) []Finding {
	x := &exam{Setup: s, err: err}
	x.direct = x.runsShim()
	if err == nil {
		x.choice, x.choiceErr = s.Here()
	}
	for _, check := range []struct {
		group, name string
		run         func(*exam)
	}{
		{programsGroup, "path", checkPath},
		{programsGroup, "files", checkFiles},
		{programsGroup, "real codex", checkCodex},
		{programsGroup, "fast start", checkFastStart},
		{choiceGroup, "choice", checkChoice},
		{choiceGroup, "environment", checkEnvironment},
		{choiceGroup, "login", checkWhose},
		{accountsGroup, "accounts", checkAccounts},
		{accountsGroup, "git", checkGit},
		{accountsGroup, "confinement", checkConfinement},
		{accountsGroup, "", checkEach},
	} {
		x.group, x.name = check.group, check.name
		check.run(x)
		if check.name == "files" && err != nil {
			break
		}
	}
	return x.found
}

// add adds a finding. A codex that is not the shim takes "swop" for a prompt: then the hint names the shim.
func (x *exam) add(state, hint, format string, args ...any) {
	if rest, ok := strings.CutPrefix(hint, "codex swop "); ok && !x.direct {
		hint = say.ShellQuote(x.Shim()) + " swop " + rest
	}
	x.found = append(x.found, Finding{x.name, state, fmt.Sprintf(format, args...), hint, x.group})
}

func (x *exam) fine(format string, args ...any) { x.add(OK, "", format, args...) }

func (x *exam) warn(hint, format string, args ...any) { x.add(Warning, hint, format, args...) }

func (x *exam) problem(hint, format string, args ...any) { x.add(Problem, hint, format, args...) }

// failed adds err as a problem with its first hint, nothing for nil.
func (x *exam) failed(err error) {
	if err != nil {
		x.problem(append(say.Hints(err), "")[0], "%v", err)
	}
}
