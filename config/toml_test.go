package config

import (
	"strings"
	"testing"
)

// What is no TOML, or more of it than is read, is one error that repeats no value.
func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"\xff\xfea = 1":                        "is not UTF-8",
		"a = \"\x00\"":                         "NULL",
		"a = t0ken":                            ":1: expected value",
		"\n\na = ":                             ":3: ",
		"a = [\n1 2]":                          ":2: ",
		"a = 1\na = 2":                         ":2: Key 'a' has already been defined",
		"[a]\n[a]":                             ":2: Key 'a' has already been defined",
		"a = 99999999999999999999":             "out of range",
		strings.Repeat("#", maxText+1):         "larger than 64 KiB",
		"a = " + strings.Repeat("[", 200):      "more than 100",
		"a = " + strings.Repeat("{b = ", 9999): "more than 100",
		strings.Repeat("a.", 4000) + "b = 1":   "more than 100",
		strings.Repeat("[a.", 101):             "more than 100",
		"x = " + strings.Repeat(`{b = "}\"}", c = '}', a = `, 1000): "more than 100",
		strings.Repeat(`"=".`, 4000) + "b = 1":                      "more than 100",
	} {
		_, err := parse(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "t0ken") {
			t.Errorf("parse(%.30q) = %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"", "\ufeffa = 1\r\n", "a = \"" + strings.Repeat("x.", 99) + "\"", strings.Repeat("[[a]]\nb = [\"[x\", \"\"]#[\n", 999), "a = \"\"\"\n[\"\"\"\n#["} {
		if _, err := parse(text); err != nil {
			t.Errorf("parse(%.30q): %v", text, err)
		}
	}
}
