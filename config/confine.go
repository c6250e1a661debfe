package config

import (
	"cmp"
	"reflect"
	"slices"
)

// The policies of confinement, from the widest on.
const (
	ConfineOff       = "off"
	ConfineFull      = "danger-full-access"
	ConfineWorkspace = "workspace-write"
	ConfineReadOnly  = "read-only"
)

// Policies returns the names of the policies.
func Policies() []string {
	return []string{ConfineOff, ConfineFull, ConfineWorkspace, ConfineReadOnly}
}

// The values of fallback.
const (
	FallbackRefuse      = "refuse"      // do not run
	FallbackPassthrough = "passthrough" // run unconfined, and say so
)

// The values of git.
const (
	GitRead  = "read"  // a repository can be read
	GitWrite = "write" // also written: git runs outside what a session puts there
)

// SSHAgent is the name of the SSH agent's socket in a list of sockets.
const SSHAgent = "ssh-agent"

// Stricter reports whether one policy gives less than another.
func Stricter(policy, than string) bool {
	return slices.Index(Policies(), policy) > slices.Index(Policies(), than)
}

// Confinement is what [confinement] says beside the policy. Paths are absolute or begin with ~/.
type Confinement struct {
	Writable []string `toml:"writable" json:"writable" is:"path"`
	Readonly []string `toml:"readonly" json:"readonly" is:"relative"` // below each writable root
	Hidden   []string `toml:"hidden" json:"hidden" is:"path"`
	Shown    []string `toml:"shown" json:"shown" is:"path"`       // beside what is given
	Ports    []int    `toml:"ports" json:"ports" is:"65535"`      // of a session that this machine reaches
	Sockets  []string `toml:"sockets" json:"sockets" is:"socket"` // paths, or [SSHAgent]
	Network  Network  `toml:"network" json:"network"`
	Nested   bool     `toml:"nested" json:"nested"`           // sessions make mount namespaces
	Git      string   `toml:"git" json:"git" is:"read|write"` // "" for GitRead; as Fallback for FallbackRefuse
	Fallback string   `toml:"fallback" json:"fallback" is:"refuse|passthrough"`
}

// Network is what confined sessions may reach.
type Network struct {
	Said  bool     `json:"-"`     // the configuration has the key network
	All   bool     `json:"all"`   // every host but this machine
	Host  bool     `json:"host"`  // this machine's own network
	Hosts []string `json:"hosts"` // host, host:port, *.host, *; where neither All nor Host
}

// ConfinementOf returns the settings of confinement for the account with this key. Its lists are added to the general ones; network
// replaces them.
func (s *Settings) ConfinementOf(key string) Confinement {
	var c Confinement
	for _, part := range []Confinement{s.Confinement, s.Accounts[key].Confinement} {
		c.Writable = slices.Concat(c.Writable, part.Writable)
		c.Readonly = slices.Concat(c.Readonly, part.Readonly)
		c.Hidden = slices.Concat(c.Hidden, part.Hidden)
		c.Shown = slices.Concat(c.Shown, part.Shown)
		c.Ports = slices.Concat(c.Ports, part.Ports)
		c.Sockets = slices.Concat(c.Sockets, part.Sockets)
		if part.Network.Said {
			c.Network = part.Network
		}
		c.Nested = c.Nested || part.Nested
		c.Git = cmp.Or(part.Git, c.Git)
		c.Fallback = cmp.Or(part.Fallback, c.Fallback)
	}
	return c
}

// networkHost is the name of this machine's own network.
const networkHost = "host"

// read reads true, false, "host" or a list of hosts.
func (n *Network) read(v value) error {
	n.Said = true
	switch of := v.any.(type) {
	case bool:
		n.All = of
	case []any:
		return v.decode(reflect.ValueOf(&n.Hosts).Elem(), "host")
	default:
		if n.Host = of == networkHost; !n.Host {
			return v.fail("must be true, false, \"host\" or an array of hosts")
		}
	}
	return nil
}
