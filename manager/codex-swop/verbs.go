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

// The chapters of help.
const (
	accountGroup = "Accounts"
	choiceGroup  = "Which account codex runs as"
	limitGroup   = "Limits, and going on with a session"
	confineGroup = "Confined sessions"
	homeGroup    = "Shared files"
	swopGroup    = "swop itself"
)

// verbs returns all verbs but help, in the order of the chapters. To add a verb, add its file and its row here.
func (a *app) verbs() []verb {
	type words = []cobra.CompletionFunc
	return []verb{
		{"add", accountGroup, a.addCommand, "new create", nil}, // completes its words itself
		{"list", accountGroup, a.listCommand, "accounts show", nil},
		{"login", accountGroup, a.loginCommand, "signin auth", words{a.completeLabel, completeLogin}},
		{"logout", accountGroup, a.logoutCommand, "signout", words{a.completeLabel}},
		{"rename", accountGroup, a.renameCommand, "", words{a.completeLabel}},
		{"remove", accountGroup, a.removeCommand, "delete del", words{a.completeLabel}},
		{"use", choiceGroup, a.useCommand, "switch select default activate", words{a.completeChoice}},
		{"bind", choiceGroup, a.bindCommand, "dir directory", words{a.completeChoice, completeDirectory}},
		{"unbind", choiceGroup, a.unbindCommand, "", words{a.completeBound}},
		{"which", choiceGroup, a.whichCommand, "status current whoami active pick", nil},
		{"run", choiceGroup, a.runCommand, "exec", words{a.completeLabel}},
		{"shell", choiceGroup, a.shellCommand, "", words{a.completeLabel}},
		{"env", choiceGroup, a.envCommand, "", words{a.completeLabel}},
		{"usage", limitGroup, a.usageCommand, "limits quota rate", words{a.completeLabel}},
		{"next", limitGroup, a.nextCommand, "rotate", words{a.completePool}},
		{"sessions", limitGroup, a.sessionsCommand, "transcripts", nil},
		{"resume", limitGroup, a.resumeCommand, "continue", words{a.completeSession}},
		{"confine", confineGroup, a.confineCommand, "policy", nil},
		{"ask", confineGroup, a.askCommand, "request elevate", nil},
		{"approvals", confineGroup, a.approvalsCommand, "requests grants questions", nil},
		{"allow", confineGroup, a.allowCommand, "grant approve", words{a.completeQuestion}},
		{"deny", confineGroup, a.denyCommand, "revoke refuse", words{a.completeQuestion}},
		{"bridge", confineGroup, a.bridgeCommand, "bridges token secret", words{cobra.FixedCompletions([]cobra.Completion{"check\ttry a bridge"}, noFiles), a.completeBridge}},
		{"host", confineGroup, a.hostCommand, "", words{a.completeHost}},
		{"sandbox", confineGroup, a.sandboxCommand, "", nil},
		{"sync", homeGroup, a.syncCommand, "refresh repair update", words{a.completeLabel}},
		{"history", homeGroup, a.historyCommand, "versions log diff", words{a.completeKept}},
		{"restore", homeGroup, a.restoreCommand, "undo revert checkout", words{a.completeKept}},
		{"doctor", swopGroup, a.doctorCommand, "check diagnose", nil},
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
	for _, v := range verbs {
		if !root.ContainsGroup(v.group) {
			root.AddGroup(&cobra.Group{ID: v.group, Title: v.group + ":"})
		}
	}
	called := slices.IndexFunc(verbs, func(v verb) bool { return len(a.args) > 0 && v.name == a.args[0] && v.name != "man" })
	if called >= 0 {
		verbs = verbs[called : called+1]
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
