package swop_test

import (
	"os"
	"slices"
	"testing"

	"swop/config"
	"swop/internal/testhome"
)

// An attack is what a program in a session of the account "work" tries. It succeeds if its script exits with 0 and, where there is one, the
// script outside does so afterwards. Every attack has to succeed unconfined: else it shows nothing.
type attack struct {
	name    string
	policy  string // "" for workspace-write
	script  string
	outside string
	root    bool   // works only for the superuser
	bare    bool   // there is no configuration of swop's
	job     bool   // a shell outside leads the job
	typed   bool   // a key is pressed in the job's terminal when the script has made the file up
	stdin   string // "<" or "|": a shell outside reads a script, in which the session is started, from a file or a pipe
	mounts  string // what root has mounted where the session is started

	dir     string // where the session runs, in the home; "" for project
	config  string // is added to swop's configuration
	answers string // was answered for always
	during  string // runs outside when the script has made the file up; the script then waits for go
}

const (
	full     = config.ConfineFull
	readOnly = config.ConfineReadOnly
)

// TestAttacks runs every attack unconfined, where it has to succeed, and confined, where it must not.
func TestAttacks(t *testing.T) {
	testhome.Needs(t, "userns")
	makePrograms(t)
	attacks := slices.Concat(attacksOnGiven(), attacksByLeaving(), attacksByKernel())
	for n, step := testhome.Points(t, 6); n < len(attacks); n += step {
		a := attacks[n]
		t.Run(a.name, func(t *testing.T) {
			if a.root && os.Geteuid() != 0 {
				return
			}
			if !newBattlefield(t).succeeds(a, config.ConfineOff) {
				t.Error("unconfined it fails, so it shows nothing")
			}
			policy := a.policy
			if policy == "" {
				policy = config.ConfineWorkspace
			}
			if newBattlefield(t).succeeds(a, policy) {
				t.Errorf("it succeeds under %s", policy)
			}
		})
	}
}

// asOther is a script for an unconfined session of the other account.
func asOther(script string) string { return "SWOP_ACCOUNT=other FAKE_SH='" + script + "' codex exec" }

const homeAgain = `mount --bind "$REAL" /mnt`

// asNext is a script for the next session under the same policy.
func asNext(script string) string {
	return "SWOP_ACCOUNT=work SWOP_CONFINE=$POLICY FAKE_SH='" + script + "' codex exec"
}

// outsideFirst lets a script wait until what is to happen outside has happened.
const outsideFirst = `touch up; while ! test -e go; do sleep 0.02; done; `
