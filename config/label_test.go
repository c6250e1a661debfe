package config

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestKey(t *testing.T) {
	for label, want := range map[string]string{
		"work":                                  "work",
		"Work Team":                             "work-team",
		"work_team":                             "work-team",
		"work  team":                            "work-team",
		"Work_ Team":                            "work-team",
		"A1":                                    "a1",
		"WORK-TEAM":                             "work-team",
		"a":                                     "a",
		"0":                                     "0",
		"a  b":                                  "a-b",
		"a _- b":                                "a-b",
		"a--b":                                  "a-b",
		"2026 07":                               "2026-07",
		"con":                                   "con",
		strings.Repeat("a", 64):                 strings.Repeat("a", 64),
		"a" + strings.Repeat("_", 62) + "Z":     "a-z",
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789": "abcdefghijklmnopqrstuvwxyz-0123456789",
	} {
		if got, err := Key(label); got != want || err != nil {
			t.Errorf("Key(%q) = %q, %v, want %q", label, got, err, want)
		}
	}
}

func TestKeyRefuses(t *testing.T) {
	for _, tt := range []struct{ label, reason string }{
		{"", "is empty"},
		{strings.Repeat("a", 65), "is 65 bytes long"},
		{strings.Repeat("é", 33), "is 66 bytes long"},
		{strings.Repeat("a", 10<<10), "is 10240 bytes long"},
		{strings.Repeat("/", 10<<10), "is 10240 bytes long"},
		{".", `'.' at byte 1`},
		{"..", `'.' at byte 1`},
		{"../x", `'.' at byte 1`},
		{"a/b", `'/' at byte 2`},
		{"/", `'/' at byte 1`},
		{`a\b`, `'\\' at byte 2`},
		{"team.a", `'.' at byte 5`},
		{"a\x00b", `'\x00' at byte 2`},
		{"a\tb", `'\t' at byte 2`},
		{"a\nb", `'\n' at byte 2`},
		{"a\x1b[31m", `'\x1b' at byte 2`},
		{"a\x7f", `'\x7f' at byte 2`},
		{"wor\u212a", `at byte 4`},    // the Kelvin sign folds to k
		{"d\u0131r", `'ı' at byte 2`}, // Turkish dotless i
		{"\u0130stanbul", `'İ' at byte 1`},
		{"\uff41", `'ａ' at byte 1`},        // full-width a
		{"a\u00a0b", `'\u00a0' at byte 2`}, // no-break space
		{"a\u200bb", `'\u200b' at byte 2`}, // zero-width space
		{"a\u2010b", `'‐' at byte 2`},      // hyphen, not ASCII's
		{"e\u0301", `'́' at byte 2`},
		{"ab\xff", `'�' at byte 3`},
		{"\xed\xa0\x80", `'�' at byte 1`},
		{"-", "must begin and end"},
		{"___", "must begin and end"},
		{" ", "must begin and end"},
		{"-work", "must begin and end"},
		{"work ", "must begin and end"},
		{"_work_", "must begin and end"},
		{"a:b", `':' at byte 2`},
		{"a@b", `'@' at byte 2`},
		{"a*", `'*' at byte 2`},
		{"$(id)", `'$' at byte 1`},
	} {
		key, err := Key(tt.label)
		if key != "" || err == nil || !strings.Contains(err.Error(), tt.reason) {
			t.Errorf("Key(%.80q) = %q, %v, want an error with %q", tt.label, key, err, tt.reason)
		}
	}
}

func TestKeysApart(t *testing.T) {
	for _, apart := range [][2]string{{"teama", "team-a"}, {"a1", "a-1"}, {"agent-1", "agent-2"}, {"o0", "oo"}} {
		a, _ := Key(apart[0])
		if b, _ := Key(apart[1]); a == b {
			t.Errorf("Key(%q) = Key(%q) = %q, want two keys", apart[0], apart[1], a)
		}
	}
}

func FuzzKey(f *testing.F) {
	for _, seed := range []string{
		"", "work", "Work Team", "../x", "a/b", "..", "-", "a\x00", "wor\u212a", "d\u0131r", "\xff", " a", "a ", "CON", "a__b",
		strings.Repeat("a", 64), strings.Repeat("a", 65), strings.Repeat("é", 32), strings.Repeat("é\x1b", 5000),
	} {
		f.Add(seed)
	}
	allowed := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	f.Fuzz(func(t *testing.T, label string) {
		key, err := Key(label)
		if err != nil {
			if key != "" || !utf8.ValidString(err.Error()) || len(err.Error()) > 600 || strings.ContainsRune(err.Error(), 0x1b) {
				t.Errorf("Key(%q) = %q, %q", label, key, err)
			}
			return
		}
		if !allowed.MatchString(key) || len(key) > 64 {
			t.Errorf("Key(%q) = %q, want at most 64 of [a-z0-9-]", label, key)
		}
		if again, err := Key(key); again != key || err != nil {
			t.Errorf("Key(%q) = %q, %v, want itself", key, again, err)
		}
		if filepath.Dir(filepath.Join("root", key)) != "root" || !filepath.IsLocal(key) {
			t.Errorf("Key(%q) = %q, which leaves the directory", label, key)
		}
	})
}
