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
		"Work_ Team":                            "work-team",
		"a":                                     "a",
		"a _- b":                                "a-b",
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
		{strings.Repeat("/", 10<<10), "is 10240 bytes long"},
		{"../x", `'.' at byte 1`},
		{"a/b", `'/' at byte 2`},
		{"team.a", `'.' at byte 5`},
		{"a\x00b", `'\x00' at byte 2`},
		{"a\x1b[31m", `'\x1b' at byte 2`},
		{"wor\u212a", `at byte 4`},         // the Kelvin sign folds to k
		{"a\u200bb", `'\u200b' at byte 2`}, // zero-width space
		{"ab\xff", `'�' at byte 3`},
		{"-", "must begin and end"},
		{"work ", "must begin and end"},
		{"a:b", `':' at byte 2`},
		{"Me@work.example", "; for example: me-work-example"},
	} {
		key, err := Key(tt.label)
		if key != "" || err == nil || !strings.Contains(err.Error(), tt.reason) {
			t.Errorf("Key(%.80q) = %q, %v, want an error with %q", tt.label, key, err, tt.reason)
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
			if key != "" || !utf8.ValidString(err.Error()) || len(err.Error()) > 800 || strings.ContainsRune(err.Error(), 0x1b) {
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
