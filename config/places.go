package config

import "path/filepath"

// Places are the directories that a call works with. All are absolute; none need exist.
type Places struct {
	Home   string // the user's own home, never a sandbox's
	Root   string // swop's root: root.json, accounts, locks
	Config string // where selector.toml and config.toml lie
}

// Locate returns the places of a user whose environment, outside of any session, is env, if they follow from it alone. It reports false
// for everything else, defects included: [LocateHome] gives the full answer.
func Locate(env Env) (Places, bool) {
	p := Places{Home: env.Value(HomeVariable)}
	if !filepath.IsAbs(p.Home) {
		return Places{}, false
	}
	root := env.Value("SWOP_ROOT")
	p.Root = filepath.Join(p.Home, ".swop")
	if state := env.Value("XDG_STATE_HOME"); filepath.IsAbs(state) { // a relative one is ignored, as its specification says
		p.Root = filepath.Join(state, "swop")
	}
	switch {
	case filepath.IsAbs(root):
		p.Root = filepath.Clean(root) // what lies in it is found by clean paths: what is checked must be the same
		p.Config = p.Root
	case root != "":
		return Places{}, false
	default:
		p.Config = filepath.Join(configHome(env), "swop")
	}
	return p, true
}
