package main

import (
	"slices"
	"strings"

	"swop/internal/confine"
	"swop/internal/disk"
	"swop/internal/say"
	"swop/manager/verb"
)

// worksInside are the verbs that work in a confined session. All others need the accounts, which are not there.
var worksInside = [...]string{"ask", "confine", "which", "help", "version", "completion"}

// refuseInside refuses a verb that cannot work in the confined session that this process is in.
func refuseInside(call *verb.Call) error {
	in, err := confine.ReadInside()
	if err == nil && (len(call.Args) == 0 || call.Args[0] == "--json") {
		call.Args = append([]string{"which"}, call.Args...) // in place of the summary
	}
	if err != nil || strings.HasPrefix(call.Args[0], "-") || slices.Contains(worksInside[:], call.Args[0]) {
		return nil
	}
	const text = "codex swop %s works only outside this session, which is confined to the account %q"
	return say.WithHint(disk.Unsafe(text, call.Args[0], in.Label), "run it in another terminal")
}
