//go:build unix

package main

import (
	"fmt"
	"slices"

	"swop/confine"
	"swop/disk"
	"swop/say"
	"swop/shim"
)

// worksInside are the verbs that tell something in a confined session. All others need accounts, which are not to be seen there.
var worksInside = [...]string{"ask", "bridge", "confine", "host", "which", "help", "version", "man", "completion"}

// refuseInside refuses a verb that cannot work in the confined session that this process is in.
func (a *app) refuseInside() error {
	in, err := confine.ReadInside()
	if err != nil || len(a.args) == 0 || a.args[0][0] == '-' || slices.Contains(worksInside[:], a.args[0]) {
		return nil
	}
	err = say.Refuse(disk.ErrUnsafe, fmt.Sprintf("codex swop %s works only outside this session, which is confined to the account %q", a.args[0], in.Label))
	return say.WithHint(err, "run it in another terminal")
}

// whichInside is the answer of which in a confined session, and whether this process is in one.
func whichInside(a *app) (w whichAnswer, inside bool, err error) {
	in, err := confine.ReadInside()
	if err != nil {
		return w, false, nil
	}
	w = whichAnswer{SchemaVersion: 1, Label: in.Label, Key: in.Key, Exists: true, Why: shim.BySession, Policy: in.Policy.Mode, OutrankedBy: []string{}, Sandbox: in.Home}
	s, err := a.look()
	if err == nil {
		real, _ := a.codex(s) // "" where there is none
		w.Codex = real.Path
	}
	return w, true, err
}
