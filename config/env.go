package config

import "strings"

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

// Value returns the value of name, "" if it is unset.
func (e Env) Value(name string) string {
	value, _ := e.Lookup(name)
	return value
}

// With returns a copy in which name has value and occurs exactly once: in its old place, else at the end.
func (e Env) With(name, value string) Env {
	out := make(Env, 0, len(e)+1)
	placed := false
	for _, entry := range e {
		if _, ok := entryValue(entry, name); !ok {
			out = append(out, entry)
		} else if !placed {
			out, placed = append(out, name+"="+value), true
		}
	}
	if !placed {
		out = append(out, name+"="+value)
	}
	return out
}

// Without returns a copy that has no entry called name.
func (e Env) Without(name string) Env {
	out := make(Env, 0, len(e))
	for _, entry := range e {
		if _, ok := entryValue(entry, name); !ok {
			out = append(out, entry)
		}
	}
	return out
}

func entryValue(entry, name string) (string, bool) {
	rest, ok := strings.CutPrefix(entry, name)
	if !ok {
		return "", false
	}
	return strings.CutPrefix(rest, "=")
}
