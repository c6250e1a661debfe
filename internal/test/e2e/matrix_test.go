//go:build linux

package e2e

import (
	"strings"
	"testing"
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
