//go:build unix

package config

import (
	"reflect"
	"strings"
	"testing"
)

func parseSelector(text, file string) (s Selector, err error) {
	err = decode(text, file, &s)
	return s, err
}

func parseSettings(text, file string) (Settings, error) {
	s := defaults
	err := decode(text, file, &s)
	return s, err
}

func TestParseSelector(t *testing.T) {
	bound := Selector{Account: "work", Directory: []Binding{{Path: "/home/me/acme", Account: "Acme Inc"}, {Path: "/srv", Account: "b"}}}
	for text, want := range map[string]Selector{
		"":                      {},
		`account = "Work Team"`: {Account: "Work Team"},
		"account = \"work\"\n[[directory]]\npath = \"/home/me/acme\"\naccount = \"Acme Inc\"\n[[directory]]\naccount = \"b\"\npath = \"/srv/\"": bound,
		`directory = [{path = "/home/me/acme", account = "Acme Inc"}, {path = "/srv", account = "b"}]` + "\naccount = \"work\"":                 bound,
	} {
		if got, err := parseSelector(text, SelectorFile); !reflect.DeepEqual(got, want) || err != nil {
			t.Errorf("parseSelector(%q) = %+v, %v, want %+v", text, got, err, want)
		}
	}
}

func TestParseSelectorRefuses(t *testing.T) {
	const first = "[[directory]]\npath = \"/a\"\naccount = \"a\"\n[[directory]]\n"
	for text, want := range map[string]string{
		"account = \"work\"\nAccount = \"x\"":     "selector.toml: Account: unknown key; the known ones are: account, directory",
		"account = 2026-07-01":                    "selector.toml: account: must be a string",
		"account = \"\"":                          "selector.toml: account: is empty",
		"account = \"../x\"":                      `selector.toml: account: label "../x": '.' at byte 1`,
		"[directory]\npath = \"/a\"":              "selector.toml: directory: must be an array",
		"directory = [\"/a\"]":                    "selector.toml: directory[1]: must be a table",
		"[[directory]]\naccount = \"a\"":          "selector.toml: directory[1]: path is missing",
		first + "path = 7\naccount = \"b\"":       "selector.toml: directory[2].path: must be a string",
		first + "account = \"b\"\npath = \"b\"":   `selector.toml: directory[2].path: "b" is not an absolute path`,
		first + "path = \"/b\"\nnote = \"x\"":     "selector.toml: directory[2].note: unknown key; the known ones are: account, path",
		first + "account = \"b\"\npath = \"/a/\"": `selector.toml: directory[2]: "/a" is bound twice`,
	} {
		if _, err := parseSelector(text, SelectorFile); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("parseSelector(%q)\n = %v\nwant %s", text, err, want)
		}
	}
}

// Counted is what the library descends into: no comment, no string, and no neighbour.
func TestDepth(t *testing.T) {
	for text, want := range map[string]int{
		"":                                  0,
		"# a.b.c.{[{[":                      0,
		"a.b = 1 # c.d":                     1,
		"[a.b.c]\nd.e = 'x.y.z'":            3,
		"a = [1.5, 2.5, {b.c=1}]":           3,
		"a = \"\\\".{{{\" # x.y.z":          0,
		"a = '''\n.{{{''''' \nb = {c = {}}": 2,
		"a = \"\"\"x\"\".\\\"\"\".{\"\"\"\"\nb = {}":      1,
		"a = [\n[\n# [\n],\n[]]\nb = ''\nc.d.e = 1":       2,
		"a = \"open.{{{\nb = {}":                          1,
		strings.Repeat("[", 9) + "\n]":                    9,
		strings.Repeat("a = {b = 1, c = 2.5}\n", 1000):    2,
		"a = {" + strings.Repeat("b = {c.d = 1},", 1000):  3,
		"]]}}" + strings.Repeat("]", 9) + "\n[[a.b]]\n{}": 3,
	} {
		if got := depth(text); got != want {
			t.Errorf("depth(%.100q) = %d, want %d", text, got, want)
		}
	}
}

func TestParseSettings(t *testing.T) {
	text := `
codex = "/opt/codex"
launch = "as-installed"
isolation = "codex-home"
codex_home.private = ["*.local.toml"]
home.private = []
[confinement]
writable = ["~/src", "/data"]
network = ["a.example:443", "*.b.example", "[::1]:80"]
sockets = ["ssh-agent"]
ports = [5173]
[accounts.Work_Team]
confine = "read-only"
home.private = [".npmrc"]
[accounts.Work_Team.confinement]
network = false
[pool."Big Acme"]
accounts = ["Acme 2", 'b']
strategy = "balance"
[pool.auto]
leave = 90
`
	want := Settings{Codex: "/opt/codex", Launch: LaunchAsInstalled}
	want.Isolation, want.CodexHome.Private, want.Home.Private = isolateCodexHome, []string{"*.local.toml"}, []string{}
	want.Confinement = Confinement{
		Writable: []string{"~/src", "/data"}, Sockets: []string{SSHAgent}, Ports: []int{5173},
		Network: Network{Said: true, Hosts: []string{"a.example:443", "*.b.example", "[::1]:80"}},
	}
	team := accountSettings{Confine: ConfineReadOnly}
	team.Home.Private, team.Confinement = []string{".npmrc"}, Confinement{Network: Network{Said: true}}
	want.Accounts = map[string]accountSettings{"work-team": team}
	want.Pools = map[string]Pool{
		"big-acme": {Accounts: []string{"acme-2", "b"}, Strategy: Balance},
		"auto":     {Leave: 90},
	}
	got, err := parseSettings(text, SettingsFile)
	if !reflect.DeepEqual(got, want) || err != nil {
		t.Errorf("parseSettings\n = %+v, %v\nwant %+v", got, err, want)
	}
	isolation, private := got.For("work-team")
	if isolation != isolateCodexHome || !reflect.DeepEqual(private, Private{CodexHome: []string{"*.local.toml"}, Home: []string{".npmrc"}}) {
		t.Errorf("the account has %q, %q", isolation, private)
	}
}

func TestParseSettingsRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"codex = 7":                        "codex: must be a string",
		"launch = \"Native\"":              `launch: "Native" is not one of: native, as-installed`,
		"confine = \"off\"":                "confine: unknown key",
		"accounts = 7":                     "accounts: must be a table",
		"[[home]]\n":                       "home: must be a table",
		"[accounts.\"a.b\"]":               `accounts.a.b: label "a.b"`,
		"[accounts.W]\n[accounts.w]":       "accounts.w: is written twice",
		"[accounts.a]\nlogin = \"shared\"": `accounts.a.login: "shared" is not one of: bridged`,
		"[accounts.b]\nlogin = 7\n[accounts.a]\nlaunch=7": "accounts.a.launch: unknown key; the known ones are: bridge, codex_home, confine,",
		"[codex_home]\nPrivate = []":                      "codex_home.Private: unknown key; the known ones are: private, shared",
		"[codex_home]\nprivate = \"x\"":                   "codex_home.private: must be an array",
		"[codex_home]\nprivate = [\"a\", 7]":              "codex_home.private[2]: must be a string",
		"[codex_home]\nprivate = [\"a/b\"]":               `codex_home.private[1]: "a/b" is not a pattern for a name`,
		"[codex_home]\nprivate = [\"a*[\"]":               `codex_home.private[1]: "a*[" is not a pattern`,
		"[confinement]\nports = [0]":                      "confinement.ports[1]: must be a number from 1 to 65535",
		"[confinement]\nports = [70000]":                  "confinement.ports[1]: must be a number from 1 to 65535",
		"[confinement]\nwritable = [\"a\"]":               "confinement.writable[1]: must be an absolute path, or begin with ~/",
		"[confinement]\nhidden = [\"~/../x\"]":            "confinement.hidden[1]: must be an absolute path",
		"[confinement]\nhidden = [\"/a\\u0000b\"]":        "confinement.hidden[1]: must be an absolute path",
		"[confinement]\nreadonly = [\"*.env\"]":           `confinement.readonly[1]: "*.env" is a pattern: name each file or directory itself`,
		"[confinement]\nwritable = [\"~/src/?\"]":         `confinement.writable[1]: "~/src/?" is a pattern`,
		"[confinement]\nreadonly = [\".\"]":               `confinement.readonly[1]: "." is not a path below a directory`,
		"[confinement]\nnetwork = \"no\"":                 "confinement.network: must be true, false, \"host\" or an array of hosts",
		"[confinement]\nnetwork = [\"http://a\"]":         `confinement.network[1]: "http://a" is not one of: host, host:port, *.host, *`,
		"[confinement]\nnetwork = [\"a:b\"]":              "confinement.network[1]: ",
		"[confinement]\nnetwork = [\"[::1\"]":             "confinement.network[1]: ",
		"[confinement]\nsockets = [\"agent\"]":            "confinement.sockets[1]: must be an absolute path",
		"[pool.a]\nleave = 50":                            "pool.a: accounts is missing or empty",
		"[pool.a]\naccounts = [\"auto\"]":                 "pool.a.accounts[1]: \"auto\" is a pool, not an account",
		"[pool.a]\naccounts = [\"work\", \"WORK\"]":       "pool.a: accounts: \"work\" is listed twice",
		"[pool.a]\naccounts = [\"work\"]\nleave = 0":      "pool.a.leave: must be a number from 1 to 100",
	} {
		if got, err := parseSettings(text, SettingsFile); err == nil || !strings.HasPrefix(err.Error(), "config.toml: "+want) {
			t.Errorf("parseSettings(%q)\n = %+v, %v\nwant %s", text, got, err, want)
		}
	}
}

// What is read of a file can be written and read again; what cannot be read is an error that names the file.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "account = \"work\"", "Account = 1", "[[directory]]\npath = \"/a\"\naccount = \"a\"\n", "directory = [[]]", "a.b.c = 1", "\"\" = 1", "\xff\xfe", "\x00",
		"x = [[[[[[[[", "launch = \"native\"\nisolation = \"home\"", "[accounts.\"a.b\"]", "accounts = {}", "[bridge.x]\nkind = \"github\"\nallow = [\"repo:a/b\"]", "codex = \"\xff\"",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := parseSettings(text, "the file"); err != nil && !strings.HasPrefix(err.Error(), "the file:") {
			t.Errorf("%q: %v, want an error of the file", text, err)
		}
		s, err := parseSelector(text, "the file")
		if err != nil {
			return
		}
		out, tooLarge := selectorText(s)
		if tooLarge != nil {
			return
		}
		if again, err := parseSelector(string(out), "written"); err != nil || again.Account != s.Account ||
			len(again.Directory) != len(s.Directory) {
			t.Errorf("%q is %+v, written %+v, %v", text, s, again, err)
		}
	})
}
