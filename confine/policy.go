package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"swop/config"
	"swop/say"
)

// Policy is what a confined session may do. It is written as TOML and as JSON.
type Policy struct {
	Mode     string   `toml:"policy" json:"policy"` // one of [config.Policies]
	Writable []string `toml:"writable,omitempty" json:"writable"`
	Readonly []string `toml:"readonly,omitempty" json:"readonly"` // below each writable root
	Hidden   []string `toml:"hidden,omitempty" json:"hidden"`
	Network  Network  `toml:"network" json:"network"`
	Sockets  []string `toml:"sockets,omitempty" json:"sockets"` // paths, or [config.SSHAgent]
	Fallback string   `toml:"fallback" json:"fallback"`

	OnRequest []string `toml:"on_request,omitempty" json:"on_request"` // runs outside when a session asks for more
}

// Network is what a session may reach: everything, or the hosts of a list, which may be empty. It is written as true, false or the list.
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
		Network: Network{All: true}, Fallback: config.FallbackRefuse, OnRequest: append([]string{}, c.OnRequest...),
	}
	if c.Network.Said {
		p.Network = Network{c.Network.All, c.Network.Hosts}
	}
	if c.Fallback != "" {
		p.Fallback = c.Fallback
	}
	return p
}

// value is n as TOML and JSON have it.
func (n Network) value() any {
	if n.All || len(n.Hosts) == 0 {
		return n.All
	}
	return n.Hosts
}

// set reads what value returns, as a decoder has it.
func (n *Network) set(value any) error {
	*n = Network{}
	switch of := value.(type) {
	case bool:
		n.All = of
	case []any:
		for _, item := range of {
			host, ok := item.(string)
			if !ok || !config.IsHost(host) {
				return fmt.Errorf("network: %q is not one of: host, host:port, *.host", fmt.Sprint(item))
			}
			n.Hosts = append(n.Hosts, host)
		}
	default:
		return errors.New("network must be true, false or an array of hosts")
	}
	return nil
}

// MarshalJSON returns true, false or the list.
func (n Network) MarshalJSON() ([]byte, error) { return json.Marshal(n.value()) }

// UnmarshalJSON reads what MarshalJSON returns.
func (n *Network) UnmarshalJSON(text []byte) error {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	return n.set(value)
}

// MarshalTOML returns true, false or the list. JSON's strings are TOML's, for what a host can be.
func (n Network) MarshalTOML() ([]byte, error) { return n.MarshalJSON() }

// UnmarshalTOML reads what MarshalTOML returns.
func (n *Network) UnmarshalTOML(value any) error { return n.set(value) }

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
	Backend string // bubblewrap, …
	Reason  string
}

func (u *Unavailable) Error() string {
	return "this session cannot be confined: " + u.Backend + ": " + u.Reason
}
