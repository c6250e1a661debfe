//go:build unix

package store

import (
	"path/filepath"
	"strings"
	"testing"
)

const fuzzedRoot = `{"schema_version":1,"shared_home":{"path":"/home/me/.codex","device":66,"inode":77},"config":"/home/me/.config/swop"}`

func FuzzParseRoot(f *testing.F) {
	for _, seed := range []string{
		fuzzedRoot, "", "null", "{}", "[]", fuzzedRoot + fuzzedRoot, strings.Replace(fuzzedRoot, "66", "1e999", 1), strings.Replace(fuzzedRoot, "66", "-1", 1),
		strings.Replace(fuzzedRoot, "/home/me/.codex", `\"/a\\xff\"`, 1), strings.Replace(fuzzedRoot, "/home/me/.codex", `relative`, 1),
		strings.Replace(fuzzedRoot, "shared_home", "Shared_Home", 1), strings.Replace(fuzzedRoot, "{", `{"former_shared_homes":["/a","\"\\x1b\""],"new":{"a":[1]},`, 1),
		strings.Replace(fuzzedRoot, "1", "2", 1), `{"schema_version":1,"shared_home":[[[[`, "{\"a\":\"\xff\"}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRoot(text)
		if err != nil {
			return
		}
		if !filepath.IsAbs(r.SharedHome.Path) {
			t.Errorf("ParseRoot(%q) has the shared home %q", text, r.SharedHome.Path)
		}
		out := r.Text()
		again, err := ParseRoot(string(out))
		if err != nil {
			t.Fatalf("ParseRoot(%q) of what was written failed: %v", out, err)
		}
		second := again.Text()
		if string(second) != string(out) || again.SharedHome != r.SharedHome || again.Config != r.Config {
			t.Errorf("written %q, then %q", out, second)
		}
	})
}
