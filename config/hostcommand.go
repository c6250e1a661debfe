package config

import (
	"path/filepath"
	"slices"
	"strings"
)

// HostCommand is a command of [bridge.commands], which a session can run outside of it, by its name on the session's PATH.
type HostCommand struct {
	Name string
	Run  []string // the program, absolute, and all of its arguments
	Dir  string   // where it runs
}

// CommandsFor returns the host commands of the account with this key: the general ones, and its own, which replace general ones of the same
// name.
func (s *Settings) CommandsFor(key string) []HostCommand {
	own := s.Accounts[key].Commands
	all := slices.Clone(own)
	for _, c := range s.Commands {
		if !slices.ContainsFunc(own, func(o HostCommand) bool { return o.Name == c.Name }) {
			all = append(all, c)
		}
	}
	return all
}

// HasBridge reports whether something runs beside the sessions of the account with this key.
func (s *Settings) HasBridge(key string) bool {
	own := s.Accounts[key]
	return len(s.Bridges) > 0 || len(s.Commands) > 0 || len(own.Bridges) > 0 || len(own.Commands) > 0 || own.Login != ""
}

// commands reads [bridge.commands].
func (v value) commands() (list []HostCommand, err error) {
	err = v.each(func(name string, of value) error {
		if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return of.fail("the name of a command consists of a to z, 0 to 9 and -")
		}
		c, err := hostCommand(of, name)
		list = append(list, c)
		return err
	})
	return list, err
}

func hostCommand(v value, name string) (HostCommand, error) {
	c := HostCommand{Name: name}
	err := v.fields(field{"dir", into(&c.Dir, value.absolute)}, field{"run", into(&c.Run, value.command)})
	switch {
	case err != nil:
		return c, err
	case len(c.Run) == 0:
		return c, v.fail("run is missing")
	case c.Dir == "":
		return c, v.fail("dir is missing")
	case !filepath.IsAbs(c.Run[0]):
		return c, v.child("run").fail("must begin with the absolute path of a program")
	}
	return c, nil
}
