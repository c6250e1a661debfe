//go:build linux

package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/account"
	"swop/internal/home/rules"
	"swop/internal/test/testhome"
)

// A check is one column of the matrix: releases down, checks across.
type check struct {
	name string
	says string // what is checked
	lack lack
	run  func(trial)
}

// checks are carried out in this order by one user of a release: each finds what those before it left.
var checks = []check{
	{"login", "`codex swop add` logs two accounts in; each auth.json is a file of its own, mode 0600, and ~/.codex gets none", lack{}, trial.checkLogin},
	{"exec", "two accounts × 5 `codex exec` at the same time: every request has its account's bearer, every transcript is in ~/.codex/sessions", lack{}, trial.checkExec},
	{"stdout", "`--version` prints what it prints without swop, `exec --json` nothing but JSON", lack{}, trial.checkStdout},
	{"mcp add", "a server added under one account is seen under the other and without any, and removed under the other; config.toml stays one file, its link is back after a release that replaced it", noMCPAdd, trial.checkMCP},
	{"resume", "a session begun under one account is resumed by id under the other, with that one's bearer, in ~/.codex/sessions", lack{}, trial.checkResume},
	{"tui", "the terminal interface of each account sends its own bearer; what was typed is in the one history", lack{}, trial.checkTUI},
	{"server", "… while the other account's background server runs", noServer, trial.checkServer},
	{"logout", "`codex logout` of one account leaves no trace of its key anywhere, stops its background server, and leaves the other's login and server", lack{}, trial.checkLogout},
	{"sandbox", "at the end each sandbox holds nothing but links into the homes and names that the rule table calls private: no transcript, no database; no version was kept but of what codex replaced", lack{}, trial.checkSandbox},
}

// TestMatrix tries each check with the oldest, a middle and the newest release, with -complete with all five. Those after a failed one are
// tried too.
func TestMatrix(t *testing.T) {
	t.Parallel()
	for _, r := range releases {
		if !r.always && !*complete {
			continue
		}
		t.Run(r.version, func(t *testing.T) {
			mayRepeat(t, r.version)
			tr := newNPMTrial(t, r)
			tr.neverHadServer()
			tr.write(".codex/config.toml", strings.Replace(tr.config(), lean, "", 1))
			for _, c := range checks {
				t.Run(c.name, func(t *testing.T) {
					if r.before(c.lack.before) {
						tr.under(t).wantLack(c.lack)
						return
					}
					c.run(tr.under(t))
				})
			}
		})
	}
}

// checkSandbox checks the sandboxes after a reconcile, which every start of codex does.
func (tr trial) checkSandbox() {
	for label := range keys {
		tr.left(label) // a new entry is shared at the first reconcile only where nothing runs
	}
	tr.ok(tr.swop("doctor", "--fix"))
	for label := range keys {
		tr.wantOwn(tr.sandbox(label), tr.shared(), rules.CodexHomeRules(nil, account.StateShared))
		tr.wantOwn(filepath.Dir(tr.sandbox(label)), tr.home, rules.HomeRules(nil, filepath.Base(tr.root)))
		home := filepath.Dir(tr.sandbox(label))
		if got := append(tr.transcripts(home), tr.files(home, "*.sqlite*")...); len(got) > 0 {
			tr.t.Errorf("inside the sandbox of %s: %q, want no transcript and no database", label, got)
		}
	}
	if r := tr.ok(tr.swop("history", "--json")); strings.Contains(r.stdout, `"changed"`) || strings.Contains(r.stdout, `"older"`) ||
		strings.Contains(r.stdout, `"apart"`) {
		tr.t.Errorf("kept: %s, want no more than what codex replaced", r.stdout)
	}
	if got := tr.files(tr.shared(), "*.sqlite"); (len(got) == 0) != tr.before(113) {
		tr.t.Errorf("databases in ~/.codex: %q; codex-home.md says otherwise of %s", got, tr.version)
	}
}

// wantOwn checks that each entry of a sandbox is a link to the shared one of the same name, or private by the rules.
func (tr trial) wantOwn(sandbox, shared string, table rules.Rules) {
	tr.t.Helper()
	entries, err := os.ReadDir(sandbox)
	testhome.NoError(tr.t, err)
	for _, e := range entries {
		name := filepath.Join(sandbox, e.Name())
		row, _ := table.Row(e.Name())
		if e.Type() == fs.ModeSymlink {
			if to, err := os.Readlink(name); to != filepath.Join(shared, e.Name()) || row.Class == rules.Private {
				tr.t.Errorf("%q, of class %v, leads to %q, %v", name, row.Class, to, err)
			}
		} else if row.Class != rules.Private && row.Class != rules.HardLink {
			tr.t.Errorf("the sandbox has its own %q, of class %v: want a link", name, row.Class)
		}
	}
}
