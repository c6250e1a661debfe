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

// Kind is what an entry is: a file, a directory, or neither.
type Kind interface {
	IsDir() bool
	IsRegular() bool
}

// Names sums up what a look at a directory depends on: its entries, in whatever order.
type Names uint64

// Add adds an entry. which is the target of a link in a sandbox, since a link of ours can be replaced by another, and the inode of a
// hard-linked file; "" for all others.
func (n *Names) Add(name string, is Kind, which string) {
	kind := ""
	switch {
	case is.IsDir():
		kind = "directory"
	case is.IsRegular():
		kind = "file"
	}
	*n += Names(mixed(disk.Sum(name, "\x00", kind, "\x00", which)))
}

// mixed spreads the bits of a sum, as the end of splitmix64 does: FNV's of names that differ in a digit differ by much the same.
func mixed(sum uint64) uint64 {
	sum = (sum ^ sum>>30) * 0xbf58476d1ce4e5b9
	sum = (sum ^ sum>>27) * 0x94d049bb133111eb
	return sum ^ sum>>31
}
