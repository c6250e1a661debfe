//go:build unix

package file

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"swop/config"
)

func parseSelector(text, file string) (config.Selector, error) {
	return parse(text, file, config.DecodeSelector)
}

func TestParseSelector(t *testing.T) {
	work := config.Selector{Account: "work"}
	bound := config.Selector{Account: "work", Directory: []config.Binding{{Path: "/home/me/acme", Account: "Acme Inc"}, {Path: "/srv", Account: "b"}}}
	for _, tt := range []struct {
		name, text string
		want       config.Selector
	}{
		{"empty", "", config.Selector{}},
		{"comments", "# account = 7\n\n  # [[directory]]\n", config.Selector{}},
		{"account", `account = "work"`, work},
		{"label kept", `account = "Work Team"`, config.Selector{Account: "Work Team"}},
		{"byte order mark", "\ufeffaccount = \"work\"\n", work},
		{"tables", "account = \"work\"\n[[directory]]\npath = \"/home/me/acme\"\naccount = \"Acme Inc\"\n[[directory]]\naccount = \"b\"\npath = \"/srv\"", bound},
		{"inline", `account = "work"` + "\n" + `directory = [{path = "/home/me/acme", account = "Acme Inc"}, {path = "/srv", account = "b"}]`, bound},
		{"no tables", "account = \"work\"\ndirectory = []", work},
		{"trailing slash", `directory = [{path = "/srv/", account = "b"}]`, config.Selector{Directory: []config.Binding{{Path: "/srv", Account: "b"}}}},
		{"root", `directory = [{path = "/", account = "b"}]`, config.Selector{Directory: []config.Binding{{Path: "/", Account: "b"}}}},
		{"escapes", `directory = [{path = "/a\nb \"\u00e9", account = "b"}]`, config.Selector{Directory: []config.Binding{{Path: "/a\nb \"é", Account: "b"}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := parseSelector(tt.text, config.SelectorFile); !reflect.DeepEqual(got, tt.want) || err != nil {
				t.Errorf("parseSelector(%q) = %+v, %v, want %+v", tt.text, got, err, tt.want)
			}
		})
	}
}

func TestParseSelectorRefuses(t *testing.T) {
	const first = "[[directory]]\npath = \"/a\"\naccount = \"a\"\n"
	for _, tt := range []struct{ text, want string }{
		{"account = ", "selector.toml:1: "},
		{"account = \"work\"\n\n[[directory x", "selector.toml:3: "},
		{"account = \"a\"\n# x\naccount = \"b\"\n", "selector.toml:3: account: "},
		{"account = \"a\"\n= 1\n", "selector.toml:2: "},
		{"\xff\xfea\x00", "selector.toml"},
		{"\xff\xfeaccount = \"work\"", "selector.toml: is not UTF-8"},
		{"account = \"a\x00\"", "selector.toml"},

		{"Account = \"x\"", "selector.toml:1: Account: unknown key; the known ones are: account, directory"},
		{"account = \"work\"\nACCOUNT = \"x\"", "selector.toml:2: ACCOUNT: unknown key"},
		{"accounts = \"x\"", "selector.toml:1: accounts: unknown key"},
		{"'account ' = \"x\"", "selector.toml:1: account : unknown key"},
		{"account = \"work\"\na = 1", "selector.toml:2: a: unknown key"},
		{"account = \"work\"\n[work]\n", "selector.toml:2: work: unknown key"},

		{"account = 7", "selector.toml:1: account: must be a string, not a number"},
		{"account = {a = 1}", "selector.toml:1: account: must be a string, not a table"},
		{"account.work = \"a\"", "selector.toml:1: account: must be a string, not a table"},
		{"[account]\n", "selector.toml:1: account: must be a string, not a table"},
		{"[[account]]\n", "selector.toml:1: account: must be a string, not an array"},
		{"account = 2026-07-01", "selector.toml:1: account: must be a string, not a date"},
		{"account = \"\"", "selector.toml:1: account: is empty"},
		{"account = \"team.a\"", `selector.toml:1: account: label "team.a": '.' at byte 5`},
		{"account = \"wor\u212a\"", "selector.toml:1: account: label"},
		{"account = \"../x\"", "selector.toml:1: account: label"},

		{"directory = \"/a\"", "selector.toml:1: directory: must be an array of tables, not a string"},
		{"[directory]\npath = \"/a\"", "selector.toml:1: directory: must be an array of tables, not a table"},
		{"account = \"a\"\ndirectory.path = \"/a\"", "selector.toml:2: directory: must be an array of tables, not a table"},
		{"directory = [\"/a\"]", "selector.toml:1: directory: must be a table, not a string"},
		{"# [[directory]]\n[[directory]]\n", "selector.toml:2: directory: path is missing"},
		{"[[directory]]\npath = \"/a\"", "selector.toml:1: directory: account is missing"},
		{"[[directory]]\naccount = \"a\"", "selector.toml:1: directory: path is missing"},
		{first + "[[directory]]\npath = \"/b\"", "selector.toml:4: directory: account is missing"},
		{first + "[[directory]]\npath = 7\naccount = \"b\"", "selector.toml:5: directory.path: must be a string"},
		{first + "[[directory]]\naccount = \"b\"\npath = \"b\"", `selector.toml:6: directory.path: "b" is not an absolute path`},
		{first + "[[directory]]\naccount = \"b\"\npath = \"~/b\"", "selector.toml:6: directory.path: "},
		{first + "[[directory]]\naccount = \"b\"\npath = \"\"", "selector.toml:6: directory.path: is empty"},
		{first + "[[directory]]\npath = \"/b\"\naccount = \"b.c\"", "selector.toml:6: directory.account: label"},
		{first + "[[directory]]\npath = \"/b\"\naccount = \"b\"\nnote = \"x\"", "selector.toml:7: directory.note: unknown key; the known ones are: account, bridges, path"},
		{first + "[[directory]]\npath = \"/b\"\naccount = \"b\"\nPath = \"x\"", "selector.toml:7: directory.Path: unknown key"},
		{first + "[[directory]]\npath = \"/a\"\naccount = \"b\"", `selector.toml:5: directory.path: "/a" is bound twice`},
		{first + "[[directory]]\naccount = \"b\"\npath = \"/a/\"", `selector.toml:6: directory.path: "/a" is bound twice`},

		// Inline, where a table is an element of an array.
		{"directory = [{path = \"/a\"}]", "selector.toml:1: directory: account is missing"},
		{"account = \"a\"\ndirectory = [{path = \"/a\", account = \"a\"}, {path = \"/b\"}]", "selector.toml:2: directory: account is missing"},
		{"account = \"a\"\ndirectory = [{path = \"/a\", account = \"a\"}, {path = \"/a\", account = \"b\"}]", `selector.toml:2: directory.path: "/a" is bound twice`},
		{"directory = [\n  {path = \"/a\", account = \"a\"},\n  {path = \"b\", account = \"b\"},\n]", `selector.toml:3: directory.path: "b" is not`},
	} {
		got, err := parseSelector(tt.text, config.SelectorFile)
		var defect *config.Error
		if !errors.As(err, &defect) || !strings.HasPrefix(err.Error(), tt.want) || !reflect.DeepEqual(got, config.Selector{}) {
			t.Errorf("parseSelector(%q)\n = %+v, %v\nwant %s", tt.text, got, err, tt.want)
		}
	}
}

// Whatever a file system calls a directory can be bound, or is refused: what is written can be read again.
func TestSelectorTextRoundTrip(t *testing.T) {
	for _, path := range []string{"/", "/a b", "/é", "/a\"b", `/a\b`, "/a'b", "/a\nb", "/a\tb", "/a\x01\x1b\x7fb", "/#a", "/[[x]]", "/'''", `/"""`, "/\u2028", "/\ufeff", "/\xff", "/a\xc3"} {
		s := config.Selector{Account: "Work Team", Directory: []config.Binding{{Path: path, Account: "a"}, {Path: "/other", Account: "b"}}}
		text, err := SelectorText(s)
		if err != nil {
			continue
		}
		if got, err := parseSelector(string(text), config.SelectorFile); !reflect.DeepEqual(got, s) || err != nil {
			t.Errorf("Text of a binding of %q\n%s = %+v, %v", path, text, got, err)
		}
	}
}

func FuzzParseSelector(f *testing.F) {
	for _, seed := range []string{
		"", "account = \"work\"", "Account = 1", "[[directory]]\npath = \"/a\"\naccount = \"a\"\n", "directory = [{path = \"/a\", account = \"a\"}]",
		"directory = [[]]", "[directory]", "a.b.c = 1", "\"#1\" = 1", "directory = [{'#9' = 1}]", "\"\" = 1", "account = \"\xff\"", "\ufeff", "\xff\xfe", "account = \"\"\"\na\"\"\"",
		"account = 1979-05-27T07:32:00Z", "account = inf", "\x00", "x = [[[[[[[[", "directory = [{path = \"/\\u0000\", account = \"a\"}]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseSelector(text, "the file")
		if err != nil {
			wantFileError(t, text, err)
			return
		}
		out, err := SelectorText(s)
		if err != nil {
			t.Fatalf("SelectorText(%+v) failed: %v", s, err)
		}
		if again, err := parseSelector(string(out), "written"); !reflect.DeepEqual(again, s) || err != nil {
			t.Errorf("parseSelector(%q) = %+v, %v, want %+v", out, again, err, s)
		}
	})
}

// wantFileError checks that err says which file is wrong, and a line that the file has.
func wantFileError(t *testing.T, text string, err error) {
	t.Helper()
	var defect *config.Error
	switch {
	case !errors.As(err, &defect), defect.File != "the file", defect.Reason == "", !strings.HasPrefix(err.Error(), "the file"):
		t.Errorf("%q: %#v, want a *config.Error of the file", text, err)
	case defect.Line < 0, defect.Line > strings.Count(text, "\n")+2:
		t.Errorf("%q: %v, but the file has no such line", text, err)
	}
}
