//go:build unix

package rules

import (
	"swop/account"
	"swop/config"
)

// View is one of the two directories that a sandbox shows, with the rules for its entries.
type View struct {
	Name    string // CodexView or HomeView
	Sandbox string // the directory in the sandbox
	Rules   Rules
}

// The names of the views: of the codex home, and of HOME.
const (
	CodexView = "codex"
	HomeView  = "home"
)

// Views returns the views of an account.
func Views(l account.Layout, a account.Account, private config.Private) (codex, home View) {
	return View{CodexView, a.CodexHome(), CodexHomeRules(private.CodexHome, a.Meta.State)},
		View{HomeView, a.Home(), HomeRules(private.Home, RootName(l))}
}
