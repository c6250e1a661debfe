package config

import (
	"cmp"
	"path"
	"slices"
	"strings"
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
	Writable []string
	Readonly []string // below each writable root
	Hidden   []string
	Shown    []string // of what is hidden by default
	Own      []string // directories of the home that a session has as its own; nil for the default
	Ports    []int    // of a session that this machine reaches
	Sockets  []string // paths, or [SSHAgent]
	Network  Network
	Git      string // "" for the default, like Fallback
	Fallback string
}

// Network is what confined sessions may reach. The zero value is not said.
type Network struct {
	Said  bool
	All   bool
	Host  bool     // this machine's own network
	Hosts []string // host, host:port, *.host, *; where neither All nor Host
}

// ConfinementOf returns the settings of confinement for the account with this key. Its lists are added to the general ones.
func (s *Settings) ConfinementOf(key string) Confinement {
	var c Confinement
	for _, part := range []*Confinement{s.Confinement, s.Accounts[key].Confinement} {
		if part == nil {
			continue
		}
		c.Writable = slices.Concat(c.Writable, part.Writable)
		c.Readonly = slices.Concat(c.Readonly, part.Readonly)
		c.Hidden = slices.Concat(c.Hidden, part.Hidden)
		c.Shown = slices.Concat(c.Shown, part.Shown)
		c.Ports = slices.Concat(c.Ports, part.Ports)
		if part.Own != nil {
			c.Own = part.Own
		}
		c.Sockets = slices.Concat(c.Sockets, part.Sockets)
		if part.Network.Said {
			c.Network = part.Network
		}
		c.Git = cmp.Or(part.Git, c.Git)
		c.Fallback = cmp.Or(part.Fallback, c.Fallback)
	}
	return c
}

// confinement reads a table called confinement.
func (v value) confinement() (*Confinement, error) {
	c := &Confinement{}
	return c, v.fields(
		field{"fallback", into(&c.Fallback, oneOf(FallbackRefuse, FallbackPassthrough))},
		field{"git", into(&c.Git, oneOf(GitRead, GitWrite))},
		field{"hidden", into(&c.Hidden, listOf(value.homePath))},
		field{"network", into(&c.Network, value.network)},
		field{"own", into(&c.Own, listOf(value.belowHome))},
		field{"ports", into(&c.Ports, value.ports)},
		field{"readonly", into(&c.Readonly, listOf(value.relative))},
		field{"shown", into(&c.Shown, listOf(value.homePath))},
		field{"sockets", into(&c.Sockets, listOf(value.socket))},
		field{"writable", into(&c.Writable, listOf(value.homePath))},
	)
}

// homePath reads a path that is absolute or begins with ~/.
func (v value) homePath() (string, error) {
	s, err := v.text()
	switch rest, below := strings.CutPrefix(s, "~/"); {
	case err != nil:
		return "", err
	case s != "~" && !below && !path.IsAbs(s):
		return "", v.fail("%q is not an absolute path, nor one that begins with ~/", s)
	case !cleanPath(rest):
		return "", v.fail("%q has .. or a NUL in it", s)
	}
	return s, nil
}

// belowHome reads a path that begins with ~/.
func (v value) belowHome() (string, error) {
	s, err := v.homePath()
	if err == nil && !strings.HasPrefix(s, "~/") {
		err = v.fail("%q is not a path that begins with ~/", s)
	}
	return s, err
}

// ports reads a list of ports.
func (v value) ports() (list []int, err error) {
	all, err := v.list("an array of ports")
	for _, of := range all {
		n, ok := of.any.(int64)
		if !ok || n < 1 || n > 65535 {
			return nil, v.fail("%v is not a port: a number from 1 to 65535", of.any)
		}
		list = append(list, int(n))
	}
	return list, err
}

// relative reads a path below a directory.
func (v value) relative() (string, error) {
	s, err := v.text()
	if err == nil && (path.IsAbs(s) || s[0] == '~' || !cleanPath(s) || path.Clean(s) == ".") {
		err = v.fail("%q is not a path below a directory", s)
	}
	return s, err
}

func cleanPath(s string) bool {
	return !strings.ContainsRune(s, 0) && !slices.Contains(strings.Split(s, "/"), "..")
}

func (v value) socket() (string, error) {
	if s, err := v.text(); err != nil || s == SSHAgent {
		return s, err
	}
	return v.homePath()
}

// NetworkHost is the name of this machine's own network.
const NetworkHost = "host"

// network reads true, false, "host" or a list of hosts.
func (v value) network() (n Network, err error) {
	n.Said = true
	switch of := v.any.(type) {
	case bool:
		n.All = of
	case string:
		if n.Host = of == NetworkHost; !n.Host {
			err = v.mustBe("true, false, \"host\" or an array of hosts")
		}
	case []any:
		n.Hosts, err = listOf(value.host)(v)
	default:
		err = v.mustBe("true, false, \"host\" or an array of hosts")
	}
	return n, err
}

// host reads host, host:port or *.host; an IPv6 address stands in brackets.
func (v value) host() (string, error) {
	s, err := v.text()
	if err == nil && !IsHost(s) {
		err = v.fail("%q is not one of: host, host:port, *.host, *", s)
	}
	return s, err
}

// IsHost reports whether s is what a list of hosts may have.
func IsHost(s string) bool {
	host, port, hasPort := s, "", false
	if s == "*" {
		return true
	}
	if strings.HasPrefix(s, "[") {
		end := strings.IndexByte(s, ']')
		if end < 0 {
			return false
		}
		host, port = s[1:end], s[end+1:]
		if port, hasPort = strings.CutPrefix(port, ":"); !hasPort && port != "" || !only(host, "0123456789abcdef:.") {
			return false
		}
	} else {
		host, port, hasPort = strings.Cut(s, ":")
		if !only(strings.TrimPrefix(host, "*."), "0123456789abcdefghijklmnopqrstuvwxyz-._") {
			return false
		}
	}
	return !hasPort || only(port, "0123456789") && len(port) <= 5
}

// only reports whether s has characters, and no others than these.
func only(s, these string) bool {
	for i := range len(s) {
		if strings.IndexByte(these, s[i]) < 0 {
			return false
		}
	}
	return s != ""
}
