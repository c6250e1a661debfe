package config

import (
	"slices"
	"strings"
)

// Env is a process environment: NAME=value entries in their order, the form of os.Environ.
type Env []string

// Lookup returns the value of the first entry called name, as getenv(3) does, and whether there is one.
func (e Env) Lookup(name string) (string, bool) {
	for _, entry := range e {
		if value, ok := entryValue(entry, name); ok {
			return value, true
		}
	}
	return "", false
}

// entryValue returns the value of the entry if it is of the variable called name, and whether it is.
func entryValue(entry, name string) (string, bool) {
	if len(entry) <= len(name) || entry[len(name)] != '=' || !sameName(entry[:len(name)], name) {
		return "", false
	}
	return entry[len(name)+1:], true
}

// Value returns the value of name, "" if it is unset.
func (e Env) Value(name string) string {
	value, _ := e.Lookup(name)
	return value
}

// With returns a copy in which name has value and occurs exactly once: in its old place, else at the end.
func (e Env) With(name, value string) Env {
	at := slices.IndexFunc(e, func(entry string) bool {
		_, ok := entryValue(entry, name)
		return ok
	})
	if at < 0 {
		at = len(e)
	}
	return slices.Insert(e.Without(name), at, name+"="+value)
}

// Without returns a copy without the entries called by any of names.
func (e Env) Without(names ...string) Env {
	return slices.DeleteFunc(slices.Clone(e), func(entry string) bool {
		name, _, ok := strings.Cut(entry, "=")
		return ok && slices.ContainsFunc(names, func(n string) bool { return sameName(n, name) })
	})
}
