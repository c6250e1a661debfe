package confine

import (
	"slices"

	"swop/config"
)

// rooms are the places that no writable root may be, contain or lie in.
type rooms struct {
	home string   // the user's own: a root may lie in it
	own  []string // what belongs to swop or codex
}

// forbid says why a path can be no writable root, "" if it can.
func (r rooms) forbid(path string) string {
	switch {
	case path == "/":
		return "is the whole system"
	case path == r.home:
		return "is the home directory itself"
	case config.Within(r.home, path):
		return "contains the home directory"
	}
	for _, own := range r.own {
		if own != "" && (config.Within(path, own) || config.Within(own, path)) {
			return "overlaps with what belongs to swop or codex: " + own
		}
	}
	for _, system := range []string{"/dev", "/proc", "/sys", "/run", "/System"} {
		if config.Within(path, system) && !config.Within(path, "/dev/shm/") {
			return "belongs to the system"
		}
	}
	if slices.Contains([]string{"/tmp", "/var", "/var/tmp", "/private/tmp", "/private/var", "/private/var/tmp"}, path) {
		return "is shared with all programs; use a directory in it"
	}
	return ""
}
