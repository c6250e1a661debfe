//go:build linux

package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"swop/internal/account"
	"swop/internal/home/rules"
	"swop/internal/test/testhome"
)

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
