package config

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const (
	lower   = "abcdefghijklmnopqrstuvwxyz"
	capital = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits  = "0123456789"
	// letters are those of the names of bridges and commands.
	letters = lower + digits + "-"
)

// text returns the value if it is a string and fits the tag is: one of the words between bars, or a form that [value.form] knows.
func (v value) text(is string) (string, error) {
	s, ok := v.any.(string)
	switch {
	case !ok:
		return "", v.fail("must be a string")
	case s == "":
		return "", v.fail("is empty; remove the line instead")
	case strings.Contains(is, "|"):
		if words := strings.Split(strings.Trim(is, "|"), "|"); !slices.Contains(words, s) {
			return "", v.fail("%q is not one of: %s", s, strings.Join(words, ", "))
		}
		return s, nil
	}
	return v.form(s, is)
}

// form returns s if it has the form that is names; "" names any. An error repeats nothing that may be a secret.
func (v value) form(s, is string) (string, error) {
	if slices.Contains([]string{"socket", "path", "relative"}, is) && strings.ContainsAny(s, "*?") {
		return "", v.fail("%q is a pattern: name each file or directory itself", s)
	}
	switch is {
	case "absolute":
		if !filepath.IsAbs(s) {
			return "", v.fail("%q is not an absolute path", s)
		}
	case "choice": // of an account, or of a pool
		if _, ok := PoolOf(s); !ok {
			_, err := v.key(s)
			return s, err
		}
	case "member": // of a pool; its key
		if pool, ok := PoolOf(s); ok {
			return "", v.fail("%q is a pool, not an account", pool)
		}
		return v.key(s)
	case "pattern": // of path.Match, for one name
		if _, err := path.Match(s, ""); err != nil || strings.ContainsRune(s, '/') {
			return "", v.fail("%q is not a pattern for a name", s)
		}
	case "socket":
		if s == SSHAgent {
			return s, nil
		}
		return v.form(s, "path")
	case "path":
		if s != "~" && !strings.HasPrefix(s, "~/") && !path.IsAbs(s) || !isPlain(s) {
			return "", v.fail("must be an absolute path, or begin with ~/, without .. or NUL")
		}
	case "relative":
		if path.IsAbs(s) || s[0] == '~' || !isPlain(s) || path.Clean(s) == "." {
			return "", v.fail("%q is not a path below a directory", s)
		}
	case "host":
		if !IsHost(s) {
			return "", v.fail("%q is not one of: host, host:port, *.host, *", s)
		}
	case "variable":
		if !only(s, capital+digits+"_") || s[0] <= '9' {
			return "", v.fail("is not the name of a variable: A to Z, 0 to 9 and _, not a digit first")
		}
	case "header":
		return v.header(s)
	case "upstream":
		return v.upstream(s)
	}
	return s, nil
}

func isPlain(path string) bool {
	return !strings.ContainsRune(path, 0) && !slices.Contains(strings.Split(path, "/"), "..")
}

// IsHost reports whether s can stand in a list of hosts: host, host:port, *.host, or * alone; an IPv6 address stands in brackets.
func IsHost(s string) bool {
	host, port := s, "0"
	if i := strings.LastIndexByte(s, ':'); i > strings.LastIndexByte(s, ']') {
		host, port = s[:i], s[i+1:]
	}
	if address, ok := strings.CutPrefix(host, "["); ok {
		host, ok = strings.CutSuffix(address, "]")
		return ok && only(host, digits+"abcdef:.") && isPort(port)
	}
	return s == "*" || only(strings.TrimPrefix(host, "*."), letters+"._") && isPort(port)
}

func isPort(s string) bool { return only(s, digits) && len(s) <= 5 }

// only reports whether s is not empty and consists of these characters.
func only(s, these string) bool { return s != "" && strings.Trim(s, these) == "" }
