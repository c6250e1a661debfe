package config

import (
	"cmp"
	"maps"
	"slices"
)

// SettingsFile is the name of the user's own configuration in [Places].Config. swop never writes it.
const SettingsFile = "config.toml"

// The values of launch and isolation.
const (
	LaunchNative      = "native"       // start the native binary that npm's launcher would start
	LaunchAsInstalled = "as-installed" // run what is on PATH as it is
	IsolateHome       = "home"         // HOME and CODEX_HOME are the sandbox's
	isolateCodexHome  = "codex-home"   // HOME stays real, only CODEX_HOME is the sandbox's
)

// Settings is config.toml with its defaults filled in.
type Settings struct {
	common

	Codex    string                     `toml:"codex" is:"absolute"` // the real codex; "" for the next one on PATH
	Launch   string                     `toml:"launch" is:"native|as-installed"`
	Accounts map[string]accountSettings `toml:"accounts"` // by key
	Pools    map[string]Pool            `toml:"pool"`     // by key; ask [Settings.Pool]
}

// common is what config.toml says for every account, and [accounts.LABEL] for one. Lists of one account add to the general ones.
type common struct {
	Isolation string   `toml:"isolation" is:"home|codex-home"` // of one account "" for the general one
	CodexHome struct { // patterns for names at its top
		Private []string `toml:"private" is:"pattern"`
		Shared  []string `toml:"shared" is:"pattern"` // although they look like a credential's, or were private
	} `toml:"codex_home"`
	Home struct {
		Private []string `toml:"private" is:"pattern"`
		Shared  []string `toml:"shared" is:"pattern"` // although they were private
	} `toml:"home"`
	Beside      `toml:"bridge"`
	Confinement Confinement `toml:"confinement"`
}

// accountSettings is [accounts.LABEL].
type accountSettings struct {
	common

	Hold    bool   `toml:"hold"`                                                          // no pool takes the account
	Login   string `toml:"login" is:"|bridged"`                                           // bridged: the login stays outside of the sessions
	Confine string `toml:"confine" is:"off|danger-full-access|workspace-write|read-only"` // "" for the policy in meta.json
}

// Private lists more names that stay an account's own, and those that are shared although they look like a credential's or were private
// before, as patterns of path.Match for the top of each home.
type Private struct{ CodexHome, SharedCodexHome, Home, SharedHome []string }

// Names returns the keys of config.toml that name an account, such as accounts.work and pool.x.accounts, by the account's key.
func (s *Settings) Names() map[string][]string {
	names := map[string][]string{}
	for key := range s.Accounts {
		names[key] = append(names[key], "accounts."+key)
	}
	for _, pool := range slices.Sorted(maps.Keys(s.Pools)) {
		for _, key := range s.Pools[pool].Accounts {
			names[key] = append(names[key], "pool."+pool+".accounts")
		}
	}
	return names
}

// For returns the isolation of the account with this key, and its private patterns, the general ones first.
func (s *Settings) For(key string) (isolation string, private Private) {
	own := s.Accounts[key]
	private.CodexHome = slices.Concat(s.CodexHome.Private, own.CodexHome.Private)
	private.Home = slices.Concat(s.Home.Private, own.Home.Private)
	private.SharedCodexHome = slices.Concat(s.CodexHome.Shared, own.CodexHome.Shared)
	private.SharedHome = slices.Concat(s.Home.Shared, own.Home.Shared)
	return cmp.Or(own.Isolation, s.Isolation), private
}

// check refuses what this system cannot do.
func (c *common) check(v value) error {
	if c.Isolation == IsolateHome && defaultIsolation != IsolateHome {
		return v.fail("isolation = %q is not possible on Windows, where programs find the profile without HOME", c.Isolation)
	}
	return nil
}

var defaults = Settings{common: common{Isolation: defaultIsolation}, Launch: LaunchNative}
