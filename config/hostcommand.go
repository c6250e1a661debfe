package config

import "path/filepath"

// HostCommand is a command of [bridge.commands], which a session can run outside of it, by its name on the session's PATH.
type HostCommand struct {
	Name string
	Run  []string `toml:"run" needed:""`               // the program, absolute, and all of its arguments
	Dir  string   `toml:"dir" is:"absolute" needed:""` // where it runs
}

// HasBridge reports whether something runs beside the sessions of the account with this key.
func (s *Settings) HasBridge(key string) bool {
	own := s.Accounts[key]
	return len(s.Bridges) > 0 || len(s.Commands) > 0 || len(own.Bridges) > 0 || len(own.Commands) > 0 || own.Login != ""
}

func (c *HostCommand) check(v value) error {
	if !only(c.Name, letters) {
		return v.fail("the name of a command consists of a to z, 0 to 9 and -")
	}
	if len(c.Run) == 0 || !filepath.IsAbs(c.Run[0]) {
		return v.fail("run must begin with the absolute path of a program")
	}
	return nil
}
