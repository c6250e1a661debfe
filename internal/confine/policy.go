package confine

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"swop/config"
	"swop/internal/say"
)

// Policy is what a confined session may do.
type Policy struct {
	Mode     string         `json:"policy"` // one of [config.Policies]
	Writable []string       `json:"writable"`
	Readonly []string       `json:"readonly"` // below each writable root
	Git      string         `json:"git"`      // [config.GitRead] or [config.GitWrite]
	Shown    []string       `json:"shown"`    // beside what is given
	Hidden   []string       `json:"hidden"`
	Network  config.Network `json:"network"`
	Nested   bool           `json:"nested"`  // programs inside may make mount namespaces
	Ports    []int          `json:"ports"`   // of the session, which this machine reaches
	Sockets  []string       `json:"sockets"` // paths, or [config.SSHAgent]
	Fallback string         `json:"fallback"`
}

// New returns the policy called mode with what config.toml says beside it. Paths that begin with ~/ are home's.
func New(mode string, c config.Confinement, home string) Policy {
	expand := func(paths []string) []string {
		list := []string{}
		for _, path := range paths {
			if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
				path = home + rest
			}
			if path != config.SSHAgent {
				path = filepath.Clean(path)
			}
			list = append(list, path)
		}
		return list
	}
	p := Policy{
		Mode: mode, Writable: expand(c.Writable), Readonly: append([]string{}, c.Readonly...),
		Hidden: expand(c.Hidden), Shown: expand(c.Shown), Sockets: expand(c.Sockets),
		Ports: append([]int{}, c.Ports...), Network: config.Network{All: true}, Git: cmp.Or(c.Git, config.GitRead), Nested: c.Nested,
		Fallback: cmp.Or(c.Fallback, config.FallbackRefuse),
	}
	if c.Network.Said {
		p.Network = c.Network
	}
	return p
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

// Violation says that a policy would give what no policy gives, or that something was asked for that is never given.
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
	Reason  string
	Command string // by which root changes that, "" for none
}

func (u *Unavailable) Error() string { return "this session cannot be confined: " + u.Reason }
