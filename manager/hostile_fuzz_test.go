//go:build unix

package manager

import (
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Names and texts that others chose: shown, quoted, matched. What is read from files of ours that another may have written is in
// hostile_unix_fuzz_test.go.

// hostileNames are seeds for all that takes a name.
var hostileNames = []string{
	"", "a", ".", "..", "a/b", "\x00", "\x1b[31m", "\u009b", "\u202e", "\xff", "a\nb", "'", `"`, `\`, "$(x)", "é", "AUTH.json", "x.SOCK", "[", "[a-", `\`,
	"*", "state_5.sqlite", "state_5.sqlite-wal", ".swop-x-", ".swop-c-", ".swop-x-0123456789abcdefghijklmnop-config.toml",
	".swop-c-0123456789abcdefghijklmnop", "home-1-2", ".selector", ".build", "-rf", "~", "CON", strings.Repeat("a", 255), strings.Repeat("*", 60) + "b",
}

// FuzzShown: nothing that a terminal acts on is shown, and nothing else is changed.
func FuzzShown(f *testing.F) {
	for _, seed := range hostileNames {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		shown := Shown(name)
		if !utf8.ValidString(shown) || strings.ContainsFunc(shown, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("Shown(%q) = %q", name, shown)
		}
		if back, err := strconv.Unquote(shown); shown != name && (err != nil || back != name) {
			t.Errorf("Shown(%q) = %q, which is another name", name, shown)
		}
		if back := unquotedByShell(t, ShellQuote(name)); back != name {
			t.Errorf("ShellQuote(%q) = %q, which a shell reads as %q", name, ShellQuote(name), back)
		}
		if back := textPath(pathText("/" + name)); back != "/"+name {
			t.Errorf("the path %q comes back as %q", "/"+name, back)
		}
	})
}

// unquotedByShell reads one word as a POSIX shell does (Shell Command Language, 2.2). A character that is special outside of quotes fails.
func unquotedByShell(t *testing.T, word string) string {
	t.Helper()
	var b strings.Builder
	for i := 0; i < len(word); i++ {
		switch c := word[i]; {
		case c == '\'':
			end := strings.IndexByte(word[i+1:], '\'')
			if end < 0 {
				t.Fatalf("%q: a quote is open", word)
			}
			b.WriteString(word[i+1 : i+1+end])
			i += 1 + end
		case c == '\\' && i+1 < len(word):
			i++
			b.WriteByte(word[i])
		case strings.IndexByte("|&;<>()$`\\\" \t\n*?[#~!{}", c) >= 0:
			t.Fatalf("%q: %q is special to a shell", word, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// FuzzMatches holds the quick answers of matches against path.Match.
func FuzzMatches(f *testing.F) {
	for _, row := range codexHomeRules {
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
		if got := matches(pattern, name); got != (want && err == nil || pattern == name) {
			t.Errorf("matches(%q, %q) = %t, want %t", pattern, name, got, want)
		}
	})
}

// FuzzRules: whatever an entry and the user's patterns are called, one row decides, the account's own stays its own, and what looks like
// a login is not shared in any spelling.
func FuzzRules(f *testing.F) {
	for _, seed := range hostileNames {
		f.Add(seed, seed)
	}
	f.Add("auth.json", "*.json")
	f.Add("Auth.JSON.bak", "[^a]*")
	f.Add(`\`, `\\`)
	f.Fuzz(func(t *testing.T, name, pattern string) {
		plain, own := CodexHomeRules(nil, StateShared), CodexHomeRules([]string{pattern}, StatePrivate)
		if _, named := plain.row(name); !named && looksSecret(name) && plain.Class(name) != Private {
			t.Errorf("%q is %v", name, plain.Class(name))
		}
		if !named(plain, name) && looksSecret(strings.ToUpper(name)) != looksSecret(name) && utf8.ValidString(name) && isASCII(name) {
			t.Errorf("%q and its capitals are guarded differently", name)
		}
		if plain.Class(name) == Private && own.Class(name) != Private {
			t.Errorf("%q is private, but not with the pattern %q too: %v", name, pattern, own.Class(name))
		}
		if matches(pattern, name) && own.Class(name) != Private {
			t.Errorf("%q matches the private pattern %q and is %v", name, pattern, own.Class(name))
		}
		// An entry that is called as the pattern is written is meant too.
		if !matches(escape(name), name) || name != pattern && escape(name) != pattern && matches(escape(name), pattern) {
			t.Errorf("the pattern %q is not of %q alone: it matches %q", escape(name), name, pattern)
		}
		if root := HomeRules(nil, name); name != "" && (root.Class(name) != Private || root.Class(".codex") != Private) {
			t.Errorf("with the root %q: it is %v, .codex %v", name, root.Class(name), root.Class(".codex"))
		}
	})
}

func named(r Rules, name string) bool {
	_, ok := r.row(name)
	return ok
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}

// FuzzDemands reads any text as codex's config.toml, at its top or in a profile.
func FuzzDemands(f *testing.F) {
	for _, seed := range []string{
		"", `forced_login_method = "chatgpt"`, `forced_chatgpt_workspace_id = ["a", 7]`, "sqlite_home = 1", "profile = 7\nforced_", "[profiles.x]\nsqlite_home = \"/a\"",
		"profiles = 1\nforced_x = 1", "forced_login_method = [[[[", "forced_login_method = 1979-05-27T07:32:00Z", "\xffforced_", "profile = \"x\"\n[profiles]\nx = 1\nforced_ = 2",
	} {
		f.Add(seed, "x")
	}
	auth, _ := parseAuth([]byte(authWith(jwt(`{"https://api.openai.com/auth":{"chatgpt_account_id":"mine"}}`))))
	f.Fuzz(func(t *testing.T, text, profile string) {
		for _, d := range demandsOf("the file", text, []string{profile}) {
			if d.source != "the file" || d.method == nil && len(d.workspaces) == 0 && !d.sqliteHome {
				t.Errorf("demandsOf(%q) has %+v", text, d)
			}
			a := Account{Key: "work", Dir: filepath.Join("/", "a", "work"), Meta: Meta{Label: "work", Key: "work", State: StateShared}}
			if err := a.refuses(d, auth, true); err != nil {
				t.Errorf("%+v refuses an account without a login: %v", d, err)
			}
			if err := a.refuses(d, auth, false); err != nil && !strings.Contains(err.Error(), "the file says forced_") {
				t.Errorf("%+v is refused with %q", d, err)
			}
		}
	})
}
