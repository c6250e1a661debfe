// Package confine says what a confined session may see and write, and makes the operating system's sandbox for it: codex and all that it
// starts run inside. What it plans is pure; what it makes lies in the account's own directory. Package session runs it.
package confine

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"swop/config"
	"swop/internal/say"
)

// Policy says what a confined session may see and write.
type Policy struct {
	Mode string `json:"policy"` // one of [config.Policies]
	config.Confinement
}

// New returns the policy called mode with what config.toml says beside it. Paths that begin with ~/ are home's.
func New(mode string, c config.Confinement, home string) Policy {
	for _, paths := range []*[]string{&c.Writable, &c.Hidden, &c.Shown, &c.Sockets} {
		list := []string{}
		for _, path := range *paths {
			if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
				path = home + rest
			}
			list = append(list, filepath.Clean(path))
		}
		*paths = list
	}
	c.Readonly, c.Ports = append([]string{}, c.Readonly...), append([]int{}, c.Ports...)
	c.Git, c.Fallback = cmp.Or(c.Git, config.GitRead), cmp.Or(c.Fallback, config.FallbackRefuse)
	c.Network.Hosts = append([]string{}, c.Network.Hosts...)
	if !c.Network.Said {
		c.Network.All = true
	}
	return Policy{mode, c}
}

// Roots returns the directories that a session in the workspace can write. This and [Policy.HasHome] are all in which policies differ.
func (p *Policy) Roots(workspace string) []string {
	if p.Mode != config.ConfineWorkspace {
		return nil
	}
	return append([]string{workspace}, p.Writable...)
}

// HasHome reports whether the home is the user's own, and writable.
func (p *Policy) HasHome() bool { return p.Mode == config.ConfineFull }

// Check fails with a [*Violation] if forbidden says why one of the policy's roots can be none.
func (p *Policy) Check(workspace string, forbidden func(path string) string) error {
	for i, path := range p.Roots(workspace) {
		what := "the writable root"
		if i == 0 {
			what = "the workspace"
		}
		if reason := forbidden(path); reason != "" {
			return &Violation{what, path, reason}
		}
	}
	return nil
}

// Violation is the error of a policy or a question that names a path which is never given.
type Violation struct {
	What   string // what would be given: a writable root, …
	Path   string
	Reason string
}

func (v *Violation) Error() string {
	return fmt.Sprintf("%s %s: %s", v.What, say.Name(v.Path), v.Reason)
}

// Unavailable says why sessions cannot be confined here.
type Unavailable struct {
	Reason   string
	Command  string // by which root changes that, "" for none
	Shortage bool   // it is not known to be the system's, so it can be the work of a session, as used up namespaces: no fallback then
}

func (u *Unavailable) Error() string { return "this session cannot be confined: " + u.Reason }
