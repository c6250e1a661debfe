package rules

import (
	"path/filepath"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
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
	codex = View{CodexView, a.CodexHome(), CodexHomeRules(private.CodexHome, a.Meta.State)}
	home = View{HomeView, a.Home(), HomeRules(private.Home, RootName(l))}
	codex.Rules.Shared, home.Rules.Shared = private.SharedCodexHome, private.SharedHome
	return codex, home
}

// RootName is the name of swop's own root at the top of the real home, "" if it lies deeper or elsewhere.
func RootName(s account.Layout) string {
	above := filepath.Dir(s.Root)
	if above == s.Home || disk.SameFile(above, s.Home) {
		return filepath.Base(s.Root)
	}
	return ""
}

// MaxNames bounds a file of names: 10,000 of them.
const MaxNames = 8 << 20
