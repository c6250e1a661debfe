package config

import (
	"cmp"
	"maps"
	"slices"
)

// SettingsFile is the name of the user's own configuration in [Places].Config. swop never writes it.
const SettingsFile = "config.toml"

// The values of launch, isolation and login.
const (
	LaunchNative      = "native"       // start the native binary that npm's launcher would start
	LaunchAsInstalled = "as-installed" // run what is on PATH as it is
	IsolateHome       = "home"         // HOME and CODEX_HOME are the sandbox's
	IsolateCodexHome  = "codex-home"   // HOME stays real, only CODEX_HOME is the sandbox's
	LoginBridged      = "bridged"      // the account's own login stays outside of its sessions
)

// Settings is config.toml with its defaults filled in.
type Settings struct {
	AccountSettings // of every account

	Codex    string // the real codex, absolute; "" for the next one on PATH
	Launch   string
	Accounts map[string]AccountSettings // by key
	Pools    map[string]Pool            // by key; ask [Settings.Pool]
}

// Private lists more names that stay an account's own, as patterns of path.Match for the top of each home.
type Private struct {
	CodexHome []string
	Home      []string
	Shared    []string // of the codex home: names that are shared although they look like a credential's
}

// AccountSettings is what config.toml says for every account, and [accounts.LABEL] for one. Patterns add to the general ones.
type AccountSettings struct {
	Isolation   string // of one account "" for the general one
	Private     Private
	Bridges     Bridges
	Commands    []HostCommand
	Login       string // of one account: LoginBridged, or "" for one that sessions have
	Confine     string // of one account: a policy of confinement that is stricter than the account's, "" for that
	Confinement *Confinement
}

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
	private.CodexHome = slices.Concat(s.Private.CodexHome, own.Private.CodexHome)
	private.Home = slices.Concat(s.Private.Home, own.Private.Home)
	private.Shared = slices.Concat(s.Private.Shared, own.Private.Shared)
	return cmp.Or(own.Isolation, s.Isolation), private
}

var defaults = Settings{AccountSettings: AccountSettings{Isolation: defaultIsolation}, Launch: LaunchNative}

// keys declares the keys of config.toml: they are here and nowhere else.
func (s *Settings) keys() []field {
	return append(s.anywhere(),
		field{"accounts", into(&s.Accounts, value.accounts)},
		field{"codex", into(&s.Codex, value.absolute)},
		field{"launch", into(&s.Launch, oneOf(LaunchNative, LaunchAsInstalled))},
		field{"pool", into(&s.Pools, value.pools)},
	)
}

// anywhere declares the keys that are known at the top and in [accounts.LABEL].
func (a *AccountSettings) anywhere() []field {
	return []field{
		{"bridge", func(v value) error { return v.bridges(&a.Bridges, &a.Commands) }},
		{"codex_home", func(v value) error { return v.codexHome(&a.Private) }},
		{"confinement", into(&a.Confinement, value.confinement)},
		{"home", into(&a.Private.Home, value.private)},
		{"isolation", into(&a.Isolation, value.isolation)},
	}
}

// accounts reads a table of accounts by label.
func (v value) accounts() (map[string]AccountSettings, error) {
	byKey, labels := map[string]AccountSettings{}, map[string]string{}
	err := v.each(func(label string, of value) error {
		key, err := of.key(label)
		if err != nil {
			return err
		}
		if other, ok := labels[key]; ok {
			return of.fail("is the same account as %q", other)
		}
		labels[key] = label
		var a AccountSettings
		err = of.fields(append(a.anywhere(), field{"confine", into(&a.Confine, oneOf(Policies()...))},
			field{"login", into(&a.Login, oneOf(LoginBridged))})...)
		byKey[key] = a
		return err
	})
	return byKey, err
}

func (v value) isolation() (string, error) {
	isolation, err := oneOf(IsolateHome, IsolateCodexHome)(v)
	if isolation == IsolateHome && defaultIsolation != IsolateHome {
		return "", v.fail("%q is not possible on Windows, where programs find the profile without HOME", isolation)
	}
	return isolation, err
}

// codexHome reads a table with patterns of what is private, and names that are shared although they look like a credential's.
func (v value) codexHome(p *Private) error {
	return v.fields(field{"private", into(&p.CodexHome, listOf(value.pattern))}, field{"shared", into(&p.Shared, listOf(value.pattern))})
}

// private reads a table whose only key, private, lists patterns.
func (v value) private() (patterns []string, err error) {
	err = v.fields(field{"private", into(&patterns, listOf(value.pattern))})
	return patterns, err
}
