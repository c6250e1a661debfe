package confine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"swop/config"
	"swop/say"
)

// Policy is what a confined session may do.
type Policy struct {
	Mode     string   `json:"policy"` // one of [config.Policies]
	Writable []string `json:"writable"`
	Readonly []string `json:"readonly"` // below each writable root
	Git      string   `json:"git"`      // [config.GitRead] or [config.GitWrite]
	Hidden   []string `json:"hidden"`
	Network  Network  `json:"network"`
	Sockets  []string `json:"sockets"` // paths, or [config.SSHAgent]
	Fallback string   `json:"fallback"`

	OnRequest []string `json:"on_request"` // runs outside when a session asks for more
}

// Network is what a session may reach: everything, or the hosts of a list, which may be empty. JSON has it as true, false or the list.
type Network struct {
	All   bool
	Hosts []string
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
		Mode: mode, Writable: expand(c.Writable), Readonly: expand(c.Readonly), Hidden: expand(c.Hidden), Sockets: expand(c.Sockets),
		Network: Network{All: true}, Git: cmp.Or(c.Git, config.GitRead), Fallback: cmp.Or(c.Fallback, config.FallbackRefuse), OnRequest: append([]string{}, c.OnRequest...),
	}
	if c.Network.Said {
		p.Network = Network{c.Network.All, c.Network.Hosts}
	}
	return p
}

// MarshalJSON returns true, false or the list.
func (n Network) MarshalJSON() ([]byte, error) {
	if n.All || len(n.Hosts) == 0 {
		return json.Marshal(n.All)
	}
	return json.Marshal(n.Hosts)
}

// UnmarshalJSON reads what MarshalJSON returns.
func (n *Network) UnmarshalJSON(text []byte) error {
	*n = Network{}
	if json.Unmarshal(text, &n.All) == nil {
		return nil
	}
	return json.Unmarshal(text, &n.Hosts)
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
