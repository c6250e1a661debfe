package config

import (
	"reflect"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

var plainTexts = []string{
	"", "\n", "# a comment\n", "account = \"work\"\n",
	"# c\naccount = \"work\"\n\n[[directory]]\npath = \"/a b\"\naccount = \"x\"\n\n[[directory]]\n  path = \"/c\" # why\n\taccount=\"y\"",
	"codex = \"/opt/codex\"\nlaunch = \"native\"\n[codex_home]\nprivate = [\"*.local.toml\", \"b\" ,]\n[accounts.work]\ncodex_home.private = [\"config.toml\"]\nisolation = \"home\"\n[accounts.b]\n",
	"[a.b]\nc = \"1\"\n[a]\nd = \"2\"\n", "a = []\n", "a = [ \"x\" ] # y",
}

// What is not plain TOML, or none at all: left to the library.
var otherTexts = []string{
	"a = 1", "a = 'x'", "a = \"\\n\"", "a = \"\"\"x\"\"\"", "\"a\" = \"x\"", "a = {b = \"c\"}", "a = [\n\"x\"]", "a = \"x\" y", "a", "a =",
	"a = \"x\"\na = \"y\"", "[a]\n[a]", "[a]\nb.c = \"1\"\n[a.b]", "a.b = \"1\"\n[a]", "[[a]]\n[a]", "[a]\n[[a]]", "[a.]", "[.a]", "[]", "[[]]", "[[a.b]]",
	"[a.b]\n[a]\nb.c = \"x\"", "a = \"x\r\"", "a = \"\x00\"", "a = \"\xff\"", "\ufeffa = \"x\"", "a.b.c = \"x\"", "a..b = \"x\"", "[ a ]", "a = [,]", "a = [\"x\" \"y\"]",
	"[[a]]\nb.c = \"x\"\n[a.b]", "a.b = \"x\"\na.c = \"y\"", "# \x01", "a = [\"x\"]\n[[a]]", "[a.b.c]\nd.e = \"x\"\n[a.b.c.d.f]", "[a", "[a]]", "[[a]",
}

func TestPlainTree(t *testing.T) {
	for _, text := range plainTexts {
		if _, ok := fastTree(text); !ok {
			t.Errorf("plainTree(%q) leaves it to the library", text)
		}
		comparePlain(t, text)
	}
	for _, text := range otherTexts {
		if tree, ok := fastTree(text); ok {
			t.Errorf("plainTree(%q) = %v", text, tree)
		}
	}
}

func FuzzPlainTree(f *testing.F) {
	for _, text := range append(plainTexts, otherTexts...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { comparePlain(t, text) })
}

// comparePlain holds what plainTree reads against the library.
func comparePlain(t *testing.T, text string) {
	t.Helper()
	tree, ok := fastTree(text)
	if !ok {
		return
	}
	want := map[string]any{}
	if err := toml.Unmarshal([]byte(text), &want); err != nil {
		t.Fatalf("plainTree(%q) = %v, but it is no TOML: %v", text, tree, err)
	}
	if !reflect.DeepEqual(tree, want) {
		t.Fatalf("plainTree(%q) = %#v, want %#v", text, tree, want)
	}
}
