//go:build unix

package config

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func parseSelector(text, file string) (Selector, error) {
	var s Selector
	if err := decode(text, file, s.keys()); err != nil {
		return Selector{}, err
	}
	return s, nil
}

func TestParseSelector(t *testing.T) {
	work := Selector{Account: "work"}
	bound := Selector{Account: "work", Directory: []Binding{{Path: "/home/me/acme", Account: "Acme Inc"}, {Path: "/srv", Account: "b"}}}
	for _, tt := range []struct {
		name, text string
		want       Selector
	}{
		{"empty", "", Selector{}},
		{"comments", "# account = 7\n\n  # [[directory]]\n", Selector{}},
		{"account", `account = "work"`, work},
		{"label kept", `account = "Work Team"`, Selector{Account: "Work Team"}},
		{"byte order mark", "\ufeffaccount = \"work\"\n", work},
		{"tables", "account = \"work\"\n[[directory]]\npath = \"/home/me/acme\"\naccount = \"Acme Inc\"\n[[directory]]\naccount = \"b\"\npath = \"/srv\"", bound},
		{"inline", `account = "work"` + "\n" + `directory = [{path = "/home/me/acme", account = "Acme Inc"}, {path = "/srv", account = "b"}]`, bound},
		{"no tables", "account = \"work\"\ndirectory = []", work},
		{"trailing slash", `directory = [{path = "/srv/", account = "b"}]`, Selector{Directory: []Binding{{Path: "/srv", Account: "b"}}}},
		{"root", `directory = [{path = "/", account = "b"}]`, Selector{Directory: []Binding{{Path: "/", Account: "b"}}}},
		{"escapes", `directory = [{path = "/a\nb \"\u00e9", account = "b"}]`, Selector{Directory: []Binding{{Path: "/a\nb \"é", Account: "b"}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := parseSelector(tt.text, SelectorFile); !reflect.DeepEqual(got, tt.want) || err != nil {
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
		{"account = \"a\"\n# x\naccount = \"b\"\n", "selector.toml:3: Key 'account' has"},
		{"account = \"a\"\n= 1\n", "selector.toml:2: "},
		{"\xff\xfea\x00", "selector.toml"},
		{"\xff\xfeaccount = \"work\"", "selector.toml: is not UTF-8"},
		{"account = \"a\x00\"", "selector.toml"},

		{"Account = \"x\"", "selector.toml: Account: unknown key; the known ones are: account, directory"},
		{"account = \"work\"\nACCOUNT = \"x\"", "selector.toml: ACCOUNT: unknown key"},
		{"accounts = \"x\"", "selector.toml: accounts: unknown key"},
		{"'account ' = \"x\"", "selector.toml: account : unknown key"},
		{"account = \"work\"\na = 1", "selector.toml: a: unknown key"},
		{"account = \"work\"\n[work]\n", "selector.toml: work: unknown key"},

		{"account = 7", "selector.toml: account: must be a string, not a number"},
		{"account = {a = 1}", "selector.toml: account: must be a string, not a table"},
		{"account.work = \"a\"", "selector.toml: account: must be a string, not a table"},
		{"[account]\n", "selector.toml: account: must be a string, not a table"},
		{"[[account]]\n", "selector.toml: account: must be a string, not an array"},
		{"account = 2026-07-01", "selector.toml: account: must be a string, not a date"},
		{"account = \"\"", "selector.toml: account: is empty"},
		{"account = \"team.a\"", `selector.toml: account: label "team.a": '.' at byte 5`},
		{"account = \"wor\u212a\"", "selector.toml: account: label"},
		{"account = \"../x\"", "selector.toml: account: label"},

		{"directory = \"/a\"", "selector.toml: directory: must be an array of tables, not a string"},
		{"[directory]\npath = \"/a\"", "selector.toml: directory: must be an array of tables, not a table"},
		{"account = \"a\"\ndirectory.path = \"/a\"", "selector.toml: directory: must be an array of tables, not a table"},
		{"directory = [\"/a\"]", "selector.toml: directory[1]: must be a table, not a string"},
		{"# [[directory]]\n[[directory]]\n", "selector.toml: directory[1]: path is missing"},
		{"[[directory]]\npath = \"/a\"", "selector.toml: directory[1]: account is missing"},
		{"[[directory]]\naccount = \"a\"", "selector.toml: directory[1]: path is missing"},
		{first + "[[directory]]\npath = \"/b\"", "selector.toml: directory[2]: account is missing"},
		{first + "[[directory]]\npath = 7\naccount = \"b\"", "selector.toml: directory[2].path: must be a string"},
		{first + "[[directory]]\naccount = \"b\"\npath = \"b\"", `selector.toml: directory[2].path: "b" is not an absolute path`},
		{first + "[[directory]]\naccount = \"b\"\npath = \"~/b\"", "selector.toml: directory[2].path: "},
		{first + "[[directory]]\naccount = \"b\"\npath = \"\"", "selector.toml: directory[2].path: is empty"},
		{first + "[[directory]]\npath = \"/b\"\naccount = \"b.c\"", "selector.toml: directory[2].account: label"},
		{first + "[[directory]]\npath = \"/b\"\naccount = \"b\"\nnote = \"x\"", "selector.toml: directory[2].note: unknown key; the known ones are: account, bridges, path"},
		{first + "[[directory]]\npath = \"/b\"\naccount = \"b\"\nPath = \"x\"", "selector.toml: directory[2].Path: unknown key"},
		{first + "[[directory]]\npath = \"/a\"\naccount = \"b\"", `selector.toml: directory[2].path: "/a" is bound twice`},
		{first + "[[directory]]\naccount = \"b\"\npath = \"/a/\"", `selector.toml: directory[2].path: "/a" is bound twice`},

		// Inline, where a table is an element of an array.
		{"directory = [{path = \"/a\"}]", "selector.toml: directory[1]: account is missing"},
		{"account = \"a\"\ndirectory = [{path = \"/a\", account = \"a\"}, {path = \"/b\"}]", "selector.toml: directory[2]: account is missing"},
		{"account = \"a\"\ndirectory = [{path = \"/a\", account = \"a\"}, {path = \"/a\", account = \"b\"}]", `selector.toml: directory[2].path: "/a" is bound twice`},
		{"directory = [\n  {path = \"/a\", account = \"a\"},\n  {path = \"b\", account = \"b\"},\n]", `selector.toml: directory[2].path: "b" is not`},
	} {
		got, err := parseSelector(tt.text, SelectorFile)
		var defect *Error
		if !errors.As(err, &defect) || !strings.HasPrefix(err.Error(), tt.want) || !reflect.DeepEqual(got, Selector{}) {
			t.Errorf("parseSelector(%q)\n = %+v, %v\nwant %s", tt.text, got, err, tt.want)
		}
	}
}

// Whatever a file system calls a directory can be bound, or is refused: what is written can be read again.
func TestSelectorTextRoundTrip(t *testing.T) {
	for _, path := range []string{"/", "/a b", "/é", "/a\"b", `/a\b`, "/a'b", "/a\nb", "/a\tb", "/a\x01\x1b\x7fb", "/#a", "/[[x]]", "/'''", `/"""`, "/\u2028", "/\ufeff", "/\xff", "/a\xc3"} {
		s := Selector{Account: "Work Team", Directory: []Binding{{Path: path, Account: "a"}, {Path: "/other", Account: "b"}}}
		text, err := SelectorText(s)
		if err != nil {
			continue
		}
		if got, err := parseSelector(string(text), SelectorFile); !reflect.DeepEqual(got, s) || err != nil {
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
	var defect *Error
	switch {
	case !errors.As(err, &defect), defect.File != "the file", defect.Reason == "", !strings.HasPrefix(err.Error(), "the file"):
		t.Errorf("%q: %#v, want a *Error of the file", text, err)
	case defect.Line < 0, defect.Line > strings.Count(text, "\n")+2:
		t.Errorf("%q: %v, but the file has no such line", text, err)
	}
}
