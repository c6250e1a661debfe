package codexsandbox

import (
	"slices"
	"strings"
)

// sessionKeys are settings of a session with the model, each with the reason why a sandboxed command cannot use it.
var sessionKeys = map[string]string{
	"profile":          "a profile is for sessions with the model; name the settings themselves",
	"approval_policy":  "a sandboxed command asks nobody for approval",
	"web_search":       "no model runs that could search",
	"tools.web_search": "no model runs that could search",
}

// modeKeys choose the sandbox, and detailKeys are its details.
var (
	modeKeys   = []string{"sandbox_mode", "default_permissions"}
	detailKeys = []string{"sandbox_workspace_write", "permissions"}
)

func (r Request) checkOverrides() error {
	for _, override := range r.ConfigOverrides {
		key, ok := overrideKey(override)
		switch {
		case !ok:
			return refuse("the config override %q has no \"=\"", override)
		case key == "" || strings.HasPrefix(key, "-") || hasNUL(override):
			return refuse("the config override %q is not of the form key=value", override)
		case sessionKeys[key] != "":
			return refuse("the config override %q is refused: %s", override, sessionKeys[key])
		case r.FullAuto && (isOf(key, modeKeys) || isOf(key, detailKeys)):
			return refuse("full-auto and the config override %q both decide on the sandbox", override)
		}
	}
	return nil
}

// overrideKey returns the key as codex reads it: what is before the first "=", without the blanks around it.
func overrideKey(override string) (key string, ok bool) {
	key, _, ok = strings.Cut(override, "=")
	return strings.TrimSpace(key), ok
}

// isOf reports whether key is one of the tables or settings, or lies in one.
func isOf(key string, tables []string) bool {
	top, _, _ := strings.Cut(key, ".")
	return slices.Contains(tables, strings.TrimSpace(top))
}

// choosesMode reports whether the overrides choose the sandbox themselves.
func (r Request) choosesMode() bool {
	return slices.ContainsFunc(r.ConfigOverrides, func(override string) bool {
		key, _ := overrideKey(override)
		return isOf(key, modeKeys)
	})
}
