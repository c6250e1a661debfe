//go:build unix

package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A verb is a command of codex swop.
type verb struct {
	name    string
	group   string
	command func() *cobra.Command
	also    string                 // other words that people type for it
	words   []cobra.CompletionFunc // complete the words that follow it
}

// The groups of verbs in help, in this order.
const (
	accountGroup = "Accounts"
	choiceGroup  = "Which account codex runs as"
	repairGroup  = "Check and repair"
	swopGroup    = "swop itself"
)

// verbs returns all verbs but help. To add a verb, add its file and its row here.
func (a *app) verbs() []verb {
	type words = []cobra.CompletionFunc
	return []verb{
		{"add", accountGroup, a.addCommand, "new create", nil}, // completes its words itself
		{"list", accountGroup, a.listCommand, "accounts show", nil},
		{"usage", accountGroup, a.usageCommand, "limits quota rate", words{a.completeLabel}},
		{"login", accountGroup, a.loginCommand, "signin auth", words{a.completeLabel, completeLogin}},
		{"logout", accountGroup, a.logoutCommand, "signout", words{a.completeLabel}},
		{"rename", accountGroup, a.renameCommand, "", words{a.completeLabel}},
		{"remove", accountGroup, a.removeCommand, "delete del", words{a.completeLabel}},
		{"use", choiceGroup, a.useCommand, "switch select default activate", words{a.completeChoice}},
		{"bind", choiceGroup, a.bindCommand, "dir directory", words{a.completeChoice, completeDirectory}},
		{"unbind", choiceGroup, a.unbindCommand, "", words{a.completeBound}},
		{"which", choiceGroup, a.whichCommand, "status current whoami active", nil},
		{"pick", choiceGroup, a.pickCommand, "", words{a.completePool}},
		{"next", choiceGroup, a.nextCommand, "rotate", words{a.completePool}},
		{"sessions", choiceGroup, a.sessionsCommand, "transcripts", nil},
		{"resume", choiceGroup, a.resumeCommand, "continue", nil},
		{"run", choiceGroup, a.runCommand, "exec", words{a.completeLabel}},
		{"shell", choiceGroup, a.shellCommand, "", words{a.completeLabel}},
		{"bridge", choiceGroup, a.bridgeCommand, "bridges token secret", words{cobra.FixedCompletions([]cobra.Completion{"check\ttry a bridge"}, noFiles), a.completeBridge}},
		{"host", choiceGroup, a.hostCommand, "", words{a.completeHost}},
		{"confine", choiceGroup, a.confineCommand, "policy", nil},
		{"ask", choiceGroup, a.askCommand, "request elevate", nil},
		{"approvals", choiceGroup, a.approvalsCommand, "requests grants questions", nil},
		{"allow", choiceGroup, a.allowCommand, "grant approve", words{a.completeQuestion}},
		{"deny", choiceGroup, a.denyCommand, "revoke refuse", words{a.completeQuestion}},
		{"sandbox", choiceGroup, a.sandboxCommand, "", nil},
		{"env", choiceGroup, a.envCommand, "", words{a.completeLabel}},
		{"sync", repairGroup, a.syncCommand, "refresh repair update", words{a.completeLabel}},
		{"history", repairGroup, a.historyCommand, "versions log diff", words{a.completeKept}},
		{"restore", repairGroup, a.restoreCommand, "undo revert checkout", words{a.completeKept}},
		{"doctor", repairGroup, a.doctorCommand, "check diagnose", nil},
		{"install", swopGroup, a.installCommand, "", nil},
		{"uninstall", swopGroup, a.uninstallCommand, "", nil},
		{"completion", swopGroup, a.completionCommand, "", words{cobra.FixedCompletions(shells(), cobra.ShellCompDirectiveNoFileComp)}},
		{"man", swopGroup, a.manCommand, "", nil},
		{"version", swopGroup, a.versionCommand, "", nil},
	}
}

// addVerbs adds to root the verb that is called, and no other: they would cost a tenth of the time of a call. It adds all of them, with
// their completion, where none is named, or man, which describes the others.
func (a *app) addVerbs(root *cobra.Command) {
	verbs := a.verbs()
	called := slices.IndexFunc(verbs, func(v verb) bool { return len(a.args) > 0 && v.name == a.args[0] && v.name != "man" })
	if called >= 0 {
		verbs = verbs[called : called+1]
	}
	for _, group := range []string{accountGroup, choiceGroup, repairGroup, swopGroup} {
		root.AddGroup(&cobra.Group{ID: group, Title: group + ":"})
	}
	for _, v := range append(verbs, verb{"help", swopGroup, a.helpCommand, "usage", []cobra.CompletionFunc{completeVerb}}) {
		cmd := v.command()
		cmd.GroupID, cmd.SuggestFor = v.group, strings.Fields(v.also)
		setHelpFlag(cmd)
		if cmd.ValidArgsFunction == nil {
			cmd.ValidArgsFunction = completeWords(v.words)
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
