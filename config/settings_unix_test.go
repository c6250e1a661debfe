//go:build unix

package config

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

// parseSettings returns the settings that a text says.
func parseSettings(text, file string) (Settings, error) {
	s := defaults
	if err := decode(text, file, s.keys()); err != nil {
		return Settings{}, err
	}
	return s, nil
}

func TestParseSettings(t *testing.T) {
	defaults := Settings{Launch: LaunchNative}
	defaults.Isolation = IsolateHome
	with := func(change func(*Settings)) Settings {
		s := defaults
		change(&s)
		return s
	}
	for _, tt := range []struct {
		name, text string
		want       Settings
	}{
		{"empty", "", defaults},
		{"comments", "# codex = 7\n", defaults},
		{"codex", `codex = "/opt/codex"`, with(func(s *Settings) { s.Codex = "/opt/codex" })},
		{"as installed", `launch = "as-installed"`, with(func(s *Settings) { s.Launch = LaunchAsInstalled })},
		{"isolation", `isolation = "codex-home"`, with(func(s *Settings) { s.Isolation = IsolateCodexHome })},
		{"patterns", "[codex_home]\nprivate = [\"*.local.toml\", \"[a-c]x\"]\n[home]\nprivate = [\".netrc\"]", with(func(s *Settings) {
			s.Private = Private{CodexHome: []string{"*.local.toml", "[a-c]x"}, Home: []string{".netrc"}}
		})},
		{"dotted", "codex_home.private = ['a']\nhome.private = []", with(func(s *Settings) { s.Private.CodexHome = []string{"a"} })},
		{"confined", "[confinement]\nwritable = [\"~/src\", \"/data\"]\nnetwork = [\"a.example:443\", \"*.b.example\", \"[::1]:80\"]\nsockets = [\"ssh-agent\"]\nshown = [\"~/.ssh\"]\nown = [\"~/.cache\"]\nports = [5173]", with(func(s *Settings) {
			s.Confinement = &Confinement{
				Shown: []string{"~/.ssh"}, Own: []string{"~/.cache"}, Ports: []int{5173},
				Writable: []string{"~/src", "/data"}, Sockets: []string{SSHAgent},
				Network: Network{Said: true, Hosts: []string{"a.example:443", "*.b.example", "[::1]:80"}},
			}
		})},
		{"confined account", "[accounts.work]\nconfine = \"read-only\"\n[accounts.work.confinement]\nnetwork = false\nfallback = \"passthrough\"\ngit = \"write\"\nreadonly = [\".env\"]\nhidden = [\"~\"]", with(func(s *Settings) {
			s.Accounts = map[string]AccountSettings{"work": {Confine: ConfineReadOnly, Confinement: &Confinement{
				Network: Network{Said: true}, Git: GitWrite, Fallback: FallbackPassthrough, Readonly: []string{".env"}, Hidden: []string{"~"},
			}}}
		})},
		{"empty tables", "[codex_home]\n[home]\n[accounts]", with(func(s *Settings) { s.Accounts = map[string]AccountSettings{} })},
		{"pools", "[pool.\"Big Acme\"]\naccounts = [\"Acme 2\", 'b']\nstrategy = \"balance\"\nleave = 50\n[pool.auto]\nleave = 90", with(func(s *Settings) {
			s.Pools = map[string]Pool{
				"big-acme": {Accounts: []string{"acme-2", "b"}, Strategy: Balance, Leave: 50},
				"auto":     {Strategy: Drain, Leave: 90},
			}
		})},
		{"accounts", "[accounts.Work_Team]\nisolation = \"codex-home\"\ncodex_home.private = [\"config.toml\"]\n[accounts.\"a b\".home]\nprivate = [\".npmrc\"]", with(func(s *Settings) {
			s.Accounts = map[string]AccountSettings{
				"work-team": {Isolation: IsolateCodexHome, Private: Private{CodexHome: []string{"config.toml"}}},
				"a-b":       {Private: Private{Home: []string{".npmrc"}}},
			}
		})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseSettings(tt.text, SettingsFile)
			if !reflect.DeepEqual(got, tt.want) || err != nil {
				t.Errorf("parse(%q)\n = %+v, %v\nwant %+v", tt.text, got, err, tt.want)
			}
		})
	}
}

func TestParseSettingsRefuses(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"codex = ", "config.toml:1: "},
		{"codex = \"/a\"\ncodex = \"/b\"", "config.toml:2: Key 'codex' has"},
		{"Codex = \"/a\"", "config.toml: Codex: unknown key; the known ones are: accounts, bridge, codex, codex_home, confinement, home, isolation, launch, pool"},
		{"codex = \"/home/x\"\nhom = 1", "config.toml: hom: unknown key"},
		{"\ufeffcodex = 7", "config.toml: codex: must be a string, not a number"},
		{"codex = 7", "config.toml: codex: must be a string, not a number"},
		{"codex = \"\"", "config.toml: codex: is empty"},
		{"\ncodex = \"bin/codex\"", `config.toml: codex: "bin/codex" is not an absolute path`},
		{"codex = \"~/codex\"", "config.toml: codex: "},
		{"[codex]", "config.toml: codex: must be a string, not a table"},
		{"launch = \"Native\"", `config.toml: launch: "Native" is not one of: native, as-installed`},
		{"launch = true", "config.toml: launch: must be a string, not a boolean"},
		{"isolation = \"none\"", `config.toml: isolation: "none" is not one of: home, codex-home`},
		{"confine = \"read-only\"", "config.toml: confine: unknown key"},
		{"[accounts.a]\nconfine = true", "config.toml: accounts.a.confine: must be a string, not a boolean"},
		{"[confinement]\nown = [\"/x\"]", `config.toml: confinement.own: "/x" is not a path that begins with ~/`},
		{"[confinement]\nports = [0]", "config.toml: confinement.ports: 0 is not a port: a number from 1 to 65535"},
		{"[confinement]\nports = 1", "config.toml: confinement.ports: must be an array of ports"},
		{"confinement = \"on\"", "config.toml: confinement: must be a table, not a string"},
		{"[confinement]\nwriteable = []", "config.toml: confinement.writeable: unknown key; the known ones are: fallback, git, hidden, network, own, ports, readonly, shown, sockets, writable"},
		{"[confinement]\nwritable = \"/a\"", "config.toml: confinement.writable: must be an array of strings, not a string"},
		{"[confinement]\nwritable = [\"a\"]", `config.toml: confinement.writable: "a" is not an absolute path, nor one that begins with ~/`},
		{"[confinement]\nwritable = [\"~me/a\"]", "config.toml: confinement.writable: "},
		{"[confinement]\nhidden = [\"~/../x\"]", `config.toml: confinement.hidden: "~/../x" has .. or a NUL in it`},
		{"[confinement]\nhidden = [\"/a\\u0000b\"]", "config.toml: confinement.hidden: "},
		{"[confinement]\nreadonly = [\"/a\"]", `config.toml: confinement.readonly: "/a" is not a path below a directory`},
		{"[confinement]\nreadonly = [\"../a\"]", "config.toml: confinement.readonly: "},
		{"[confinement]\nreadonly = [\".\"]", "config.toml: confinement.readonly: "},
		{"[confinement]\nnetwork = \"no\"", "config.toml: confinement.network: must be true, false, \"host\" or an array of hosts, not a string"},
		{"[confinement]\nnetwork = [\"http://a\"]", `config.toml: confinement.network: "http://a" is not one of: host, host:port, *.host, *`},
		{"[confinement]\nnetwork = [\"a:b\"]", "config.toml: confinement.network: "},
		{"[confinement]\nnetwork = [\"A.example\"]", "config.toml: confinement.network: "},
		{"[confinement]\nsockets = [\"agent\"]", `config.toml: confinement.sockets: "agent" is not an absolute path`},
		{"[confinement]\ngit = \"yes\"", `config.toml: confinement.git: "yes" is not one of: read, write`},
		{"[confinement]\nfallback = \"run\"", `config.toml: confinement.fallback: "run" is not one of: refuse, passthrough`},
		{"[accounts.work]\nconfine = \"x\"", "config.toml: accounts.work.confine: "},
		{"[accounts.work.confinement]\nx = 1", "config.toml: accounts.work.confinement.x: unknown key"},
		{"codex_home = \"x\"", "config.toml: codex_home: must be a table, not a string"},
		{"codex_home = [{private = []}]", "config.toml: codex_home: must be a table, not an array"},
		{"[[home]]\n", "config.toml: home: must be a table, not an array"},
		{"[codex_home]\nPrivate = []", "config.toml: codex_home.Private: unknown key; the known ones are: private"},
		{"[codex_home]\nprivate = \"x\"", "config.toml: codex_home.private: must be an array of strings, not a string"},
		{"[codex_home]\nprivate = 7", "config.toml: codex_home.private: must be an array of strings, not a number"},
		{"[codex_home]\nprivate = [\"a\", 7]", "config.toml: codex_home.private: must be a string, not a number"},
		{"[codex_home]\nprivate = [\"a\", \"\"]", "config.toml: codex_home.private: is empty"},
		{"[codex_home]\nprivate = [{a = 1}]", "config.toml: codex_home.private: must be"},
		{"[codex_home]\nprivate = [[\"a\"]]", "config.toml: codex_home.private: must be a string, not an array"},
		{"[codex_home]\nprivate = [\"a/b\"]", `config.toml: codex_home.private: "a/b" is not a pattern for a name`},
		{"[codex_home]\nprivate = [\"[a\"]", `config.toml: codex_home.private: "[a" is not a pattern`},
		{"[codex_home]\nprivate = [\"a*[\"]", `config.toml: codex_home.private: "a*[" is not a pattern`},
		{"[codex_home]\nprivate = ['a\\']", "config.toml: codex_home.private: "},
		{"pool = 7", "config.toml: pool: must be a table, not a number"},
		{"pool.a = 7", "config.toml: pool.a: must be a table, not a number"},
		{"[pool.\"a.b\"]\naccounts = [\"a\"]", `config.toml: pool.a.b: label "a.b"`},
		{"[pool.A]\naccounts = [\"a\"]\n[pool.a]", "config.toml: pool.a: is the same pool as another"},
		{"[pool.a]\naccounts = [7]", "config.toml: pool.a.accounts: must be a string, not a number"},
		{"[pool.a]\naccounts = [\"a\"]\nleave = 0", "config.toml: pool.a.leave: 0 is not a percentage from 1 to 100"},
		{"[pool.a]\naccounts = [\"a\"]\nleave = 9.5", "config.toml: pool.a.leave: must be a whole number, not a number"},
		{"[pool.a]\naccounts = []", "config.toml: pool.a.accounts: is empty; name an account, or remove the line"},
		{"[pool.a]\nleave = 50", "config.toml: pool.a: accounts is missing"},
		{"[pool.a]\naccounts = [\"@a\"]", "config.toml: pool.a.accounts: \"a\" is a pool, not an account"},
		{"[pool.a]\naccounts = [\"auto\"]", "config.toml: pool.a.accounts: \"auto\" is a pool, not an account"},
		{"[pool.a]\naccounts = [\"work\", \"WORK\"]", "config.toml: pool.a.accounts: \"WORK\" is listed twice"},
		{"[pool.a]\naccounts = [\"w.k\"]", "config.toml: pool.a.accounts: label \"w.k\""},
		{"[pool.a]\naccounts = \"work\"", "config.toml: pool.a.accounts: must be an array of strings, not a string"},
		{"[pool.a]\naccounts = [\"work\"]\nstrategy = \"random\"", "config.toml: pool.a.strategy: \"random\" is not one of: drain, balance"},
		{"[pool.a]\naccounts = [\"work\"]\nweight = 3", "config.toml: pool.a.weight: unknown key; the known ones are: accounts, leave, strategy"},
		{"accounts = 7", "config.toml: accounts: must be a table, not a number"},
		{"accounts.work = 7", "config.toml: accounts.work: must be a table, not a number"},
		{"[accounts.\"team.a\"]", `config.toml: accounts.team.a: label "team.a"`},
		{"[accounts.\"\"]", "config.toml: accounts.: label"},
		{"[accounts.Work]\n[accounts.work]", "config.toml: accounts.work: is the same account as \"Work\""},
		{"[accounts.work]\nlaunch = \"native\"", "config.toml: accounts.work.launch: unknown key; the known ones are: bridge, codex_home, confine, confinement, home, isolation"},
		{"[accounts.work]\nprivate = []", "config.toml: accounts.work.private: unknown key"},
		{"[accounts.work]\nisolation = \"x\"", "config.toml: accounts.work.isolation: \"x\" is not one of"},
		{"[accounts.work.codex_home]\nprivate = [7]", "config.toml: accounts.work.codex_home.private: must be a string"},
		{"[accounts.work]\ncodex_home.private = [7]", "config.toml: accounts.work.codex_home.private: must be a string"},
		{"[accounts]\nwork = {home = {private = [7]}}", "config.toml: accounts.work.home.private: must be a string"},
		{"isolation = \"home\"\n[accounts.work]\nisolation = \"x\"", "config.toml: accounts.work.isolation: "},
		{"[accounts.b]\nhome.private = [\"x\"]\n[accounts.a]\nhome.private = [7]", "config.toml: accounts.a.home.private: "},
		{"[codex_home]\n\"#3\" = 1", "config.toml: codex_home.#3: unknown key"},
		{"[codex_home]\nprivate = [\n  \"a\",\n  7,\n]", "config.toml: codex_home.private: must be a string"},
	} {
		got, err := parseSettings(tt.text, SettingsFile)
		var defect *Error
		if !errors.As(err, &defect) || !strings.HasPrefix(err.Error(), tt.want) || !reflect.DeepEqual(got, Settings{}) {
			t.Errorf("parse(%q)\n = %+v, %v\nwant %s", tt.text, got, err, tt.want)
		}
	}
}

func FuzzParseSettings(f *testing.F) {
	for _, seed := range []string{
		"", "codex = \"/a\"", "launch = \"native\"\nisolation = \"home\"", "[codex_home]\nprivate = [\"*\"]", "[home]\nprivate = [\"[\"]", "[accounts.work]\nisolation = \"x\"",
		"[accounts.\"a.b\"]", "[accounts.work.home]\nprivate = [7]", "[codex_home]\n\"#2\" = 1", "\"#1\" = 1", "accounts = {}", "codex_home = [[]]", "\xff", "\x00", "codex = \"\xff\"",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseSettings(text, "the file")
		if err != nil {
			wantFileError(t, text, err)
			return
		}
		if s.Launch == "" || s.Isolation == "" {
			t.Errorf("parse(%q) = %+v, without defaults", text, s)
		}
		for key := range s.Accounts {
			if again, err := Key(key); again != key || err != nil {
				t.Errorf("parse(%q) has an account %q", text, key)
			}
		}
	})
}
