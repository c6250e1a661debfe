//go:build unix

package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A row is a verb: a command of codex swop.
type row struct {
	name    string
	group   string
	command func(*app) *cobra.Command
	also    string // other words that people type for it
}

// The chapters of help.
const (
	accountGroup = "Accounts"
	choiceGroup  = "Which account codex runs as"
	limitGroup   = "Limits, and going on with a session"
	confineGroup = "Confined sessions"
	homeGroup    = "Shared files"
	swopGroup    = "swop itself"
)

// allVerbs returns all verbs but help, in the order of the chapters. To add a verb, add its file and its row here.
func allVerbs() []row {
	return []row{
		{"add", accountGroup, addCommand, "new create"},
		{"list", accountGroup, listCommand, "accounts show"},
		{"login", accountGroup, loginCommand, "signin auth"},
		{"logout", accountGroup, logoutCommand, "signout"},
		{"rename", accountGroup, renameCommand, ""},
		{"remove", accountGroup, removeCommand, "delete del"},
		{"use", choiceGroup, useCommand, "switch select default activate"},
		{"bind", choiceGroup, bindCommand, "dir directory"},
		{"unbind", choiceGroup, unbindCommand, ""},
		{"which", choiceGroup, whichCommand, "status current whoami active pick"},
		{"run", choiceGroup, runCommand, "exec"},
		{"shell", choiceGroup, shellCommand, ""},
		{"env", choiceGroup, envCommand, ""},
		{"usage", limitGroup, usageCommand, "limits quota rate"},
		{"next", limitGroup, nextCommand, "rotate"},
		{"sessions", limitGroup, sessionsCommand, "transcripts"},
		{"resume", limitGroup, resumeCommand, "continue"},
		{"confine", confineGroup, confineCommand, "policy"},
		{"ask", confineGroup, askCommand, "request elevate"},
		{"approvals", confineGroup, approvalsCommand, "requests grants questions"},
		{"allow", confineGroup, allowCommand, "grant approve"},
		{"deny", confineGroup, denyCommand, "revoke refuse"},
		{"bridge", confineGroup, bridgeCommand, "bridges token secret"},
		{"host", confineGroup, hostCommand, ""},
		{"sandbox", confineGroup, sandboxCommand, ""},
		{"sync", homeGroup, syncCommand, "refresh repair update"},
		{"history", homeGroup, historyCommand, "versions log diff"},
		{"restore", homeGroup, restoreCommand, "undo revert checkout"},
		{"doctor", swopGroup, doctorCommand, "check diagnose"},
		{"install", swopGroup, installCommand, ""},
		{"uninstall", swopGroup, uninstallCommand, ""},
		{"completion", swopGroup, completionCommand, ""},
		{"man", swopGroup, manCommand, ""},
		{"version", swopGroup, versionCommand, ""},
	}
}

// addVerbs adds to root the verb that is called, and no other: they would cost a tenth of the time of a call. It adds all of them, with
// their completion, where none is named, or man, which describes the others.
func (a *app) addVerbs(root *cobra.Command) {
	verbs := allVerbs()
	for _, v := range verbs {
		if !root.ContainsGroup(v.group) {
			root.AddGroup(&cobra.Group{ID: v.group, Title: v.group + ":"})
		}
	}
	called := slices.IndexFunc(verbs, func(v row) bool { return len(a.args) > 0 && v.name == a.args[0] && v.name != "man" })
	if called >= 0 {
		verbs = verbs[called : called+1]
	}
	for _, v := range append(verbs, row{"help", swopGroup, helpCommand, "usage"}) {
		cmd := v.command(a)
		cmd.GroupID, cmd.SuggestFor = v.group, strings.Fields(v.also)
		setHelpFlag(cmd)
		if cmd.ValidArgsFunction == nil {
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
		root.AddCommand(cmd)
		if v.name == "help" {
			root.SetHelpCommand(cmd)
		}
		if called < 0 {
			completeFlags(cmd)
		}
	}
}
