package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// HostCommand is a command of [bridge.commands], which a session can run outside of it, by its name on the session's PATH
type HostCommand struct {
	Name    string
	Run     []string // the program, absolute, and its arguments; a place for a choice is {what:one|another}
	Dir     string   // where it runs
	Choices []Choice // one for each place, in their order
}

// Choice is what may stand in a place of a host command.
type Choice struct {
	Name    string
	Options []string
}

// Usage is how the command is called.
func (c HostCommand) Usage() string {
	words := []string{c.Name}
	for _, choice := range c.Choices {
		words = append(words, strings.Join(choice.Options, "|"))
	}
	return strings.Join(words, " ")
}

// Expand returns the program and its arguments with the choices in their places. What is none of the options is an error.
func (c HostCommand) Expand(choices []string) ([]string, error) {
	switch {
	case len(choices) < len(c.Choices):
		return nil, errors.New("an argument is missing")
	case len(choices) > len(c.Choices):
		return nil, fmt.Errorf("unexpected argument %q", choices[len(c.Choices)])
	}
	args := slices.Clone(c.Run)
	for i, choice := range c.Choices {
		if !slices.Contains(choice.Options, choices[i]) {
			return nil, fmt.Errorf("%q is not one of: %s", choices[i], strings.Join(choice.Options, ", "))
		}
	}
	for i, next := 1, 0; i < len(args); i++ {
		if before, _, after, ok := cutPlace(args[i]); ok {
			args[i] = before + choices[next] + after
			next++
		}
	}
	return args, nil
}

// cutPlace cuts an argument at its place for a choice.
func cutPlace(arg string) (before, place, after string, ok bool) {
	before, rest, found := strings.Cut(arg, "{")
	place, after, closed := strings.Cut(rest, "}")
	return before, place, after, found && closed
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
	case !filepath.IsAbs(c.Run[0]) || strings.ContainsAny(c.Run[0], "{}"):
		return c, v.child("run").fail("must begin with the absolute path of a program")
	}
	for _, arg := range c.Run[1:] {
		if !strings.ContainsAny(arg, "{}") {
			continue
		}
		choice, ok := readPlace(arg)
		if !ok {
			return c, v.child("run").fail("%q must have one place, {what:one|another}, with at least two options, or no braces", arg)
		}
		c.Choices = append(c.Choices, choice)
	}
	return c, nil
}

const bareKey = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// readPlace returns the choice in an argument, and whether it is complete.
func readPlace(arg string) (Choice, bool) {
	before, place, after, ok := cutPlace(arg)
	name, options, named := strings.Cut(place, ":")
	list := strings.Split(options, "|")
	ok = ok && named && only(name, bareKey) && !strings.ContainsAny(before+place+after, "{}") && len(list) > 1
	return Choice{name, list}, ok && !slices.Contains(list, "")
}
