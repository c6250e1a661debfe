//go:build unix

package file

import (
	"reflect"
	"slices"
	"testing"

	"github.com/BurntSushi/toml"

	"swop/config"
)

// What BurntSushi's library reads, and TOML 1.0 does not allow: a table that is defined twice, and bytes before the text.
var apart = []string{
	"a = {}\n[a.b]", "[a]\nb = {}\n[a.b.c]", "a = {}\na.b = \"x\"", "[a]\nb = {}\nb.c = \"x\"", "[a]\nb.c = \"1\"\n[a.b]", "a.b = \"1\"\n[a]",
	"[a.b]\n[a]\nb.c = \"x\"", "[[a]]\nb.c = \"x\"\n[a.b]", "\xff\xfea = \"x\"", "\xfe\xffa = \"x\"", "[a.b.c]\n[a]\nb.d = \"x\"",
	"[a.b]\nc = \"x\"\n[a]\nb.d = \"y\"", "a.b = \"x\"\na = \"y\"",
}

// What swop and its pages write.
var fastTexts = []string{
	"", "\n", "# a comment\n", "account = \"work\"\n",
	"# c\naccount = \"work\"\n\n[[directory]]\npath = \"/a b\"\naccount = \"x\"\n\n[[directory]]\n  path = \"/c\" # why\n\taccount=\"y\"",
	"codex = \"/opt/codex\"\nlaunch = \"native\"\n[codex_home]\nprivate = [\"*.local.toml\", \"b\" ,]\n[accounts.work]\ncodex_home.private = [\"config.toml\"]\nisolation = \"home\"\n[accounts.b]\n",
	"[bridge.github]\nkind = \"github\"\ntoken = { env = \"X\" }\nallow = [\"repo:acme/* write\"]\n[bridge.t]\ntoken = {host = true} # why\n",
	"a = true", "a = false # no", "a = {}", "a = { }", "a = {b = \"c\", d = [\"e\"], f = false}\n[b]\n", "[a]\nb.c = {d = \"e\"}",
	"[a.b]\nc = \"1\"\n[a]\nd = \"2\"\n", "a = []\n", "a = [ \"x\" ] # y",
	"a = 1", "a = 0 # zero", "[pool.acme]\naccounts = [\"a\"]\nleave = 95", "title = true", "a=false#x", "a = 999999999",
	"a = true\nb = false # c\n[confinement]\nnetwork = true", "a = {b = 1, c = 0}", "a = {b=true,c=2}",
}

// What a user might write, some of it no TOML at all.
var slowTexts = []string{
	"a = +1", "a = -1", "a = 01", "a = 1_0", "a = 1.5", "a = 1e3", "a = 0x1f", "a = 1979-05-27", "a = 07:32:00", "a = 1234567890", "a = 9223372036854775808",
	"a = 1 2", "a = 1.", "a = 1:2", "a = [1]", "a = nan", "a = 1979-05-27 07:32:00",
	"a = 'x'", "a = \"\\n\"", "a = \"\"\"x\"\"\"", "\"a\" = \"x\"", "a = [\n\"x\"]", "a = True", "a = truely", "a = truex", "a = true true", "a = [true]", "a = tru", "a = true b", "a = {b = \"c\"", "a = {b = \"c\" d = \"e\"}", "a = {b = \"c\", b = \"d\"}", "a = {b.c = \"d\"}",
	"a = {\"b\" = \"c\"}", "a = {b = {}}", "a = {b = \"c\",}", "a = {,}", "a = {b = 01}", "a = {b = 1.5}", "a = {b = 1 c = 2}", "a = {b}", "a = {}}", "a = {}\n[a]", "a = {}\n[a.b]", "[a]\nb = {}\n[a.b]",
	"[a]\nb = {}\n[a.b.c]", "[a.b]\n[a]\nb = {}", "a = {}\na.b = \"x\"", "a = {}\na = {}", "a.b = {}\n[a.b]", "[a]\nb = {}\nb.c = \"x\"", "a = {}\n[[a]]", "a = [{}]", "a = {# }",
	"a = \"x\" y", "a", "a =",
	"a = \"x\"\na = \"y\"", "[a]\n[a]", "[a]\nb.c = \"1\"\n[a.b]", "a.b = \"1\"\n[a]", "[[a]]\n[a]", "[a]\n[[a]]", "[a.]", "[.a]", "[]", "[[]]", "[[a.b]]",
	"[a.b]\n[a]\nb.c = \"x\"", "a = \"x\r\"", "a = \"\x00\"", "a = \"\xff\"", "\ufeffa = \"x\"", "a.b.c = \"x\"", "a..b = \"x\"", "[ a ]", "a = [,]", "a = [\"x\" \"y\"]",
	"[[a]]\nb.c = \"x\"\n[a.b]", "a.b = \"x\"\na.c = \"y\"", "# \x01", "a = [\"x\"]\n[[a]]", "[a.b.c]\nd.e = \"x\"\n[a.b.c.d.f]", "[a", "[a]]", "[[a]",
}

// What TOML 1.1 and releases of libraries judge differently, and what a second table, array or dotted key may do to a first.
var disputedTexts = []string{
	"a = {\n b = \"c\" }", "a = \"\\e\"", "a = \"\\x41\"", "a = 07:32", "a = 1979-05-27 07:32Z", "\u00e9 = \"x\"", "a = 1979-05-27", "a = 0x1", "a = inf",
	"\ufeff", "\ufeffa = \"x\"", "a = \"\ufeff\"", "# \ufeff", "\xff\xfea = \"x\"", "\xfe\xffa = \"x\"", "a\x00b = \"x\"", "# \x7f", "a = \"\u0080\"", "a = \"\ufffd\"", "# \ufffd",
	"a = \"x\"\r\nb = \"y\"\r\n", "a = \"x\"\rb = \"y\"", "a = \"x\" \r", "\v", "\f", "a\u00a0= \"x\"", "1 = \"x\"", "-_ = \"x\"", "- = []", "true = \"x\"", "1979-05-27 = \"x\"", "1.5 = \"x\"",
	"[a]\nb = \"x\"\n[a.b]", "[a]\nb = [\"x\"]\n[a.b]", "[a]\nb = [\"x\"]\n[[a.b]]", "[a.b]\n[a]\nb = \"x\"", "[a.b]\n[a]\n[a.b]", "[a.b.c]\n[a]\nb.d = \"x\"", "[a]\n[a.b]\n[a]",
	"a.b = \"x\"\n[a.c]", "a.b = \"x\"\n[a.b]", "[a]\nb.c = \"x\"\n[a.b.d]", "[a]\nb.c = \"x\"\n[a]", "[a.b]\nc = \"x\"\n[a]\nb.d = \"y\"", "[a]\na = \"x\"", "[a.a]\na = \"x\"", "[a.a.a]\n[a.a]",
	"[[a]]\n[[a]]\nb = \"x\"\n[a.b]", "[[a]]\n[a.b]\n[[a]]\n[a.b]", "[[a]]\n[a.b]\n[a.b]", "[[a]]\nb = \"x\"\nb = \"y\"", "[[a]]\n[b]\n[[a]]", "a = []\n[[a]]", "a.b = []\n[[a.b]]", "[a]\n[b]\n[a.c]",
	"[[a]]\nb.c = \"x\"\n[[a]]\nb.c = \"y\"", "[a]\nb.c = \"x\"\nb.d = \"y\"", "a = \"x\"\na.b = \"y\"", "a.b = \"x\"\na = \"y\"", "a = [\"x\",]", "a = [ ]", "a = [\"x\",,]", "a = [\"x\"] ]", "a = \"x\"\"", "a = \"\"", "a = \"\"\"\"",
	"A = \"x\"\na = \"y\"", "[A]\n[a]", "\t[a]\t# b", "[a]b", "[a] \"b\"", "[[a]] #", "a=\"x\"#", "a=\"x\" #\t\u00e9", "=\"x\"", ".a = \"x\"", "a. = \"x\"", "a . b = \"x\"", "a .b = \"x\"", "[a. b]", "[\"a\"]", "[[ a ]]", "[ [a]]",
}

func TestParseTOML(t *testing.T) {
	for _, text := range fastTexts {
		if _, err := config.Parse(text); err != nil {
			t.Errorf("Parse(%q): %v", text, err)
		}
	}
	for _, text := range slices.Concat(fastTexts, slowTexts, disputedTexts) {
		compareTrees(t, text)
		var want map[string]any
		_, err := toml.Decode(text, &want)
		if _, ours := config.Parse(text); (ours == nil) != (err == nil) && !slices.Contains(apart, text) {
			t.Errorf("Parse(%q): %v, BurntSushi's library: %v", text, ours, err)
		}
	}
}

func FuzzParseTOML(f *testing.F) {
	for _, text := range slices.Concat(fastTexts, slowTexts, disputedTexts) {
		f.Add(text)
	}
	f.Fuzz(compareTrees)
}

// compareTrees fails where both read a text, and otherwise than one another.
func compareTrees(t *testing.T, text string) {
	t.Helper()
	var want map[string]any
	_, err := toml.Decode(text, &want)
	if got, ours := config.Parse(text); ours == nil && err == nil && !reflect.DeepEqual(plain(got), plain(want)) {
		t.Errorf("Parse(%q)\n = %v, want %v", text, plain(got), plain(want))
	}
}

// plain returns a value of either reader in one form, without what no key has: floats and dates.
func plain(value any) any {
	switch v := value.(type) {
	case *config.Table:
		m := map[string]any{}
		for _, e := range v.Entries {
			m[e.Key] = plain(e.Value)
		}
		return m
	case map[string]any:
		m := map[string]any{}
		for key, of := range v {
			m[key] = plain(of)
		}
		return m
	case []map[string]any:
		list := []any{}
		for _, of := range v {
			list = append(list, plain(of))
		}
		return list
	case []any:
		list := []any{}
		for _, of := range v {
			list = append(list, plain(of))
		}
		return list
	case string, bool, int64:
		return v
	}
	return "another"
}
