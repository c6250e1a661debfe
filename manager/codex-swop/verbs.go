package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"swop/manager/verb"
	"swop/manager/verb/accounts"
	"swop/manager/verb/choice"
	"swop/manager/verb/confined"
	"swop/manager/verb/homes"
	"swop/manager/verb/limits"
	"swop/manager/verb/swop"
)

// A row is a verb: a command of codex swop.
type row struct {
	name    string
	group   string
	command func(*verb.Call) *cobra.Command
	also    string // other words that people type for it
}

// The chapters of help.
const (
	accountGroup = "Accounts"
	choiceGroup  = "Which account codex runs as"
	limitGroup   = "Limits, and going on with a session"
	confineGroup = "Confined sessions"
	swopGroup    = "swop itself"
)

// allVerbs returns all verbs but help, in the order of the chapters. To add a verb, add its file and its row here.
func allVerbs() []row {
	return []row{
		{"add", accountGroup, accounts.Add, "new create save import"},
		{"list", accountGroup, accounts.List, "accounts show"},
		{"login", accountGroup, accounts.Login, "signin auth"},
		{"logout", accountGroup, accounts.Logout, "signout"},
		{"rename", accountGroup, accounts.Rename, ""},
		{"remove", accountGroup, accounts.Remove, "delete del"},
		{"use", choiceGroup, choice.Use, "switch select default activate toggle"},
		{"bind", choiceGroup, choice.Bind, "dir directory"},
		{"unbind", choiceGroup, choice.Unbind, ""},
		{"which", choiceGroup, choice.Which, "status current whoami active"},
		{"run", choiceGroup, choice.Run, ""},
		{"usage", limitGroup, limits.Usage, "limits quota rate"},
		{"next", limitGroup, limits.Next, "rotate"},
		{"exec", limitGroup, limits.Exec, "batch"},
		{"sessions", limitGroup, limits.Sessions, "transcripts"},
		{"resume", limitGroup, limits.Resume, "continue"},
		{"confine", confineGroup, confined.Confine, "policy"},
		{"ask", confineGroup, confined.Ask, "request elevate"},
		{"allow", confineGroup, confined.Allow, "grant approve requests grants questions"},
		{"deny", confineGroup, confined.Deny, "revoke refuse"},
		{"bridge", confineGroup, confined.Bridge, "bridges token secret"},
		{"sandbox", confineGroup, confined.Sandbox, ""},
		{"history", swopGroup, homes.History, "versions log diff undo revert checkout"},
		{"doctor", swopGroup, swop.Doctor, "check diagnose refresh repair"},
		{"install", swopGroup, swop.Install, ""},
		{"uninstall", swopGroup, swop.Uninstall, ""},
		{"completion", swopGroup, swop.Completion, ""},
		{"version", swopGroup, swop.Version, ""},
	}
}

// addVerbs adds the verbs to root, with their completion.
func addVerbs(call *verb.Call, root *cobra.Command) {
	for _, v := range append(allVerbs(), row{"help", swopGroup, helpCommand, "usage"}) {
		if !root.ContainsGroup(v.group) {
			root.AddGroup(&cobra.Group{ID: v.group, Title: v.group + ":"})
		}
		cmd := v.command(call)
		cmd.GroupID, cmd.SuggestFor = v.group, strings.Fields(v.also)
		if cmd.ValidArgsFunction == nil {
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() != "bool" {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, verb.CompleteValue(f.Name)) // the flag exists, and has no completion yet
			}
		})
		root.AddCommand(cmd)
		if v.name == "help" {
			root.SetHelpCommand(cmd)
		}
	}
}
