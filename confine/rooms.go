package confine

import (
	"slices"

	"swop/config"
)

// Forbidden says why a path can be no writable root, "" if it can: home is the user's own, in which a root may lie, and own are the places that
// belong to swop or codex.
func Forbidden(path, home string, own []string) string {
	switch {
	case path == "/":
		return "is the whole system"
	case path == home:
		return "is the home directory itself"
	case config.Within(home, path):
		return "contains the home directory"
	}
	for _, place := range own {
		if place != "" && (config.Within(path, place) || config.Within(place, path)) {
			return "overlaps with what belongs to swop or codex: " + place
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
