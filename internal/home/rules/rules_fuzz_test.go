//go:build unix

package rules

import (
	"path"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"swop/internal/account"
	"swop/internal/test/testhome"
)

// FuzzMatches holds the quick answers of matches against path.Match.
func FuzzMatches(f *testing.F) {
	for _, row := range CodexHomeTable {
		f.Add(row.Pattern, "state_5.sqlite-wal")
	}
	for _, seed := range [][2]string{{"*", "x"}, {"*.age", ".age"}, {"a*", "a"}, {"?b", "ab"}, {"[ab]c", "bc"}, {`\*`, "*"}, {"*a*", "bab"}, {"é*", "éa"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if name == "" || strings.ContainsRune(name, '/') {
			return // no entry is called so
		}
		want, err := path.Match(pattern, name)
		if got := Matches(pattern, name); got != (want && err == nil || pattern == name) {
			t.Errorf("matches(%q, %q) = %t, want %t", pattern, name, got, want)
		}
	})
}

// FuzzRules: whatever an entry and the user's patterns are called, one row decides, the account's own stays its own, and what looks like
// a login is not shared in any spelling.
func FuzzRules(f *testing.F) {
	for _, seed := range testhome.HostileNames {
		f.Add(seed, seed)
	}
	f.Add("auth.json", "*.json")
	f.Add("Auth.JSON.bak", "[^a]*")
	f.Add(`\`, `\\`)
	f.Fuzz(func(t *testing.T, name, pattern string) {
		plain, own := CodexHomeRules(nil, account.StateShared), CodexHomeRules([]string{pattern}, account.StatePrivate)
		if _, named := plain.Row(name); !named && LooksSecret(name) && plain.Class(name) != Private {
			t.Errorf("%q is %v", name, plain.Class(name))
		}
		if !named(plain, name) && LooksSecret(strings.ToUpper(name)) != LooksSecret(name) && utf8.ValidString(name) && isASCII(name) {
			t.Errorf("%q and its capitals are guarded differently", name)
		}
		if plain.Class(name) == Private && own.Class(name) != Private {
			t.Errorf("%q is private, but not with the pattern %q too: %v", name, pattern, own.Class(name))
		}
		if Matches(pattern, name) && own.Class(name) != Private {
			t.Errorf("%q matches the private pattern %q and is %v", name, pattern, own.Class(name))
		}
		// An entry that is called as the pattern is written is meant too.
		if !Matches(name, name) {
			t.Errorf("the pattern %q does not match its own text", name)
		}
		if root := HomeRules(nil, name); name != "" && (root.Class(name) != Private || root.Class(".codex") != Private) {
			t.Errorf("with the root %q: it is %v, .codex %v", name, root.Class(name), root.Class(".codex"))
		}
	})
}

func named(r Rules, name string) bool {
	_, ok := r.Row(name)
	return ok
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}
