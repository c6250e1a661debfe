//go:build unix

package main

import "github.com/spf13/cobra"

// verbs returns what makes each verb's command, by its name.
func (a *app) verbs() map[string]func() *cobra.Command {
	return map[string]func() *cobra.Command{
		"add": a.addCommand, "list": a.listCommand, "use": a.useCommand, "bind": a.bindCommand, "unbind": a.unbindCommand, "which": a.whichCommand,
		"remove": a.removeCommand, "rename": a.renameCommand, "login": a.loginCommand, "logout": a.logoutCommand, "run": a.runCommand,
		"env": a.envCommand, "sandbox": a.sandboxCommand, "sync": a.syncCommand, "doctor": a.doctorCommand, "install": a.installCommand,
		"uninstall": a.uninstallCommand, "completion": a.completionCommand, "man": a.manCommand, "version": a.versionCommand,
	}
}

// describing are the verbs that describe all the others.
var describing = map[string]bool{"man": true, "completion": true}

// addVerbs gives root the verb that is called, alone: the other commands cost a tenth of the time of a call. Where none is named, or one that
// describes the others, it gives root all of them, with their completion.
func (a *app) addVerbs(root *cobra.Command) {
	verbs := a.verbs()
	if len(a.args) > 0 && !describing[a.args[0]] {
		if command, ok := verbs[a.args[0]]; ok {
			root.AddCommand(command())
			a.helps(root)
			return
		}
	}
	for _, command := range verbs {
		root.AddCommand(command())
	}
	a.helps(root)
	a.completes(root)
}
