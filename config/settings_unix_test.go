//go:build unix

package config

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestParseSettings(t *testing.T) {
	defaults := Settings{Launch: LaunchNative, Isolation: IsolateHome}
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
			s.Private = Private{[]string{"*.local.toml", "[a-c]x"}, []string{".netrc"}}
		})},
		{"dotted", "codex_home.private = ['a']\nhome.private = []", with(func(s *Settings) { s.Private.CodexHome = []string{"a"} })},
		{"empty tables", "[codex_home]\n[home]\n[accounts]", with(func(s *Settings) { s.Accounts = map[string]AccountSettings{} })},
		{"accounts", "[accounts.Work_Team]\nisolation = \"codex-home\"\ncodex_home.private = [\"config.toml\"]\n[accounts.\"a b\".home]\nprivate = [\".npmrc\"]", with(func(s *Settings) {
			s.Accounts = map[string]AccountSettings{
				"work-team": {IsolateCodexHome, Private{CodexHome: []string{"config.toml"}}},
				"a-b":       {"", Private{Home: []string{".npmrc"}}},
			}
		})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := ParseSettings([]byte(tt.text), SettingsFile); !reflect.DeepEqual(got, tt.want) || err != nil {
				t.Errorf("ParseSettings(%q)\n = %+v, %v\nwant %+v", tt.text, got, err, tt.want)
			}
		})
	}
}

func TestParseSettingsRefuses(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"codex = ", "config.toml:1: "},
		{"codex = \"/a\"\ncodex = \"/b\"", "config.toml:2: codex: "},
		{"Codex = \"/a\"", "config.toml:1: Codex: unknown key, want one of: accounts, codex, codex_home, home, isolation, launch"},
		{"codex = \"/home/x\"\nhom = 1", "config.toml:2: hom: unknown key"},
		{"codex = 7", "config.toml:1: codex: want a string, not a number"},
		{"codex = \"\"", "config.toml:1: codex: is empty"},
		{"\ncodex = \"bin/codex\"", `config.toml:2: codex: "bin/codex" is not an absolute path`},
		{"codex = \"~/codex\"", "config.toml:1: codex: "},
		{"[codex]", "config.toml:1: codex: want a string, not a table"},
		{"launch = \"Native\"", `config.toml:1: launch: "Native" is not one of: native, as-installed`},
		{"launch = true", "config.toml:1: launch: want a string, not a boolean"},
		{"isolation = \"none\"", `config.toml:1: isolation: "none" is not one of: home, codex-home`},
		{"codex_home = \"x\"", "config.toml:1: codex_home: want a table, not a string"},
		{"codex_home = [{private = []}]", "config.toml:1: codex_home: want a table, not an array"},
		{"[[home]]\n", "config.toml:1: home: want a table, not an array"},
		{"[codex_home]\nPrivate = []", "config.toml:2: codex_home.Private: unknown key, want one of: private"},
		{"[codex_home]\nprivate = \"x\"", "config.toml:2: codex_home.private: want an array of strings, not a string"},
		{"[codex_home]\nprivate = 7", "config.toml:2: codex_home.private: want an array of strings, not a number"},
		{"[codex_home]\nprivate = [\"a\", 7]", "config.toml:2: codex_home.private: want a string, not a number"},
		{"[codex_home]\nprivate = [\"a\", \"\"]", "config.toml:2: codex_home.private: is empty"},
		{"[codex_home]\nprivate = [{a = 1}]", "config.toml:2: codex_home.private: want"},
		{"[codex_home]\nprivate = [[\"a\"]]", "config.toml:2: codex_home.private: want a string, not an array"},
		{"[codex_home]\nprivate = [\"a/b\"]", `config.toml:2: codex_home.private: "a/b" is not a pattern for a name`},
		{"[codex_home]\nprivate = [\"[a\"]", `config.toml:2: codex_home.private: "[a" is not a pattern`},
		{"[codex_home]\nprivate = [\"a*[\"]", `config.toml:2: codex_home.private: "a*[" is not a pattern`},
		{"[codex_home]\nprivate = ['a\\']", "config.toml:2: codex_home.private: "},
		{"accounts = 7", "config.toml:1: accounts: want a table, not a number"},
		{"accounts.work = 7", "config.toml:1: accounts.work: want a table, not a number"},
		{"[accounts.\"team.a\"]", `config.toml:1: accounts.team.a: label "team.a"`},
		{"[accounts.\"\"]", "config.toml:1: accounts.: label"},
		{"[accounts.Work]\n[accounts.work]", "config.toml:2: accounts.work: the account \"work\" has two tables"},
		{"[accounts.work]\nlaunch = \"native\"", "config.toml:2: accounts.work.launch: unknown key, want one of: codex_home, home, isolation"},
		{"[accounts.work]\nprivate = []", "config.toml:2: accounts.work.private: unknown key"},
		{"[accounts.work]\nisolation = \"x\"", "config.toml:2: accounts.work.isolation: \"x\" is not one of"},
		{"[accounts.work.codex_home]\nprivate = [7]", "config.toml:2: accounts.work.codex_home.private: want a string"},
		{"[accounts.work]\ncodex_home.private = [7]", "config.toml:2: accounts.work.codex_home.private: want a string"},
		{"[accounts]\nwork = {home = {private = [7]}}", "config.toml:2: accounts.work.home.private: want a string"},

		// What only looks like the key.
		{"[codex_home]\nprivate = [\"a\"]\n[home]\nprivate = [7]", "config.toml:4: home.private: want a string"},
		{"codex_home.private = [\"a\"]\nhome.private = [7]", "config.toml:2: home.private: want a string"},
		{"isolation = \"home\"\nhome = 7", "config.toml:2: home: want a table"},
		{"isolation = \"home\"\n[accounts.work]\nisolation = \"x\"", "config.toml:3: accounts.work.isolation: "},
		{"[accounts.homework]\nisolation = \"home\"\n[accounts.work]\nisolation = \"x\"", "config.toml:4: accounts.work.isolation: "},
		{"codex = \"/launch\"\nlaunch = 7", "config.toml:2: launch: want a string"},
		{"# launch = 7\nlaunch = 7", "config.toml:2: launch: want a string"},
		{"[accounts.b]\nhome.private = [\"x\"]\n[accounts.a]\nhome.private = [7]", "config.toml:4: accounts.a.home.private: "},
		{"[codex_home]\n\"#3\" = 1", "config.toml:2: codex_home.#3: unknown key"},
		{"[codex_home]\nprivate = [\n  \"a\",\n  7,\n]", "config.toml:2: codex_home.private: want a string"},
	} {
		got, err := ParseSettings([]byte(tt.text), SettingsFile)
		var defect *FileError
		if !errors.As(err, &defect) || !strings.HasPrefix(err.Error(), tt.want) || !reflect.DeepEqual(got, Settings{}) {
			t.Errorf("ParseSettings(%q)\n = %+v, %v\nwant %s", tt.text, got, err, tt.want)
		}
	}
}

func TestSettingsFor(t *testing.T) {
	general := make([]string, 1, 8) // room to grow into: two accounts must not share it
	general[0] = "g"
	s := Settings{Isolation: IsolateHome, Private: Private{general, general}, Accounts: map[string]AccountSettings{
		"a": {IsolateCodexHome, Private{[]string{"a1"}, []string{"a2"}}},
		"b": {"", Private{CodexHome: []string{"b1"}}},
	}}
	for _, tt := range []struct {
		key, isolation string
		private        Private
	}{
		{"none", IsolateHome, Private{[]string{"g"}, []string{"g"}}},
		{"a", IsolateCodexHome, Private{[]string{"g", "a1"}, []string{"g", "a2"}}},
		{"b", IsolateHome, Private{[]string{"g", "b1"}, []string{"g"}}},
	} {
		isolation, private := s.For(tt.key)
		s.For("a")
		s.For("b")
		if isolation != tt.isolation || !reflect.DeepEqual(private, tt.private) {
			t.Errorf("For(%q) = %q, %q, want %q, %q", tt.key, isolation, private, tt.isolation, tt.private)
		}
	}
}

func FuzzParseSettings(f *testing.F) {
	for _, seed := range []string{
		"", "codex = \"/a\"", "launch = \"native\"\nisolation = \"home\"", "[codex_home]\nprivate = [\"*\"]", "[home]\nprivate = [\"[\"]", "[accounts.work]\nisolation = \"x\"",
		"[accounts.\"a.b\"]", "[accounts.work.home]\nprivate = [7]", "[codex_home]\n\"#2\" = 1", "\"#1\" = 1", "accounts = {}", "codex_home = [[]]", "\xff", "\x00", "codex = \"\xff\"",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ParseSettings(text, "the file")
		if err != nil {
			wantFileError(t, text, err)
			return
		}
		if s.Launch == "" || s.Isolation == "" {
			t.Errorf("ParseSettings(%q) = %+v, without defaults", text, s)
		}
		for key := range s.Accounts {
			if again, err := Key(key); again != key || err != nil {
				t.Errorf("ParseSettings(%q) has an account %q", text, key)
			}
		}
	})
}
