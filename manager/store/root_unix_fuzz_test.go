//go:build unix

package store

import (
	"path/filepath"
	"strings"
	"testing"

	"swop/manager/account"
)

const fuzzedRoot = `{"schema_version":1,"shared_home":{"path":"/home/me/.codex","device":66,"inode":77},"config":"/home/me/.config/swop"}`

func FuzzParseRoot(f *testing.F) {
	for _, seed := range []string{
		fuzzedRoot, "", "null", "{}", "[]", fuzzedRoot + fuzzedRoot, strings.Replace(fuzzedRoot, "66", "1e999", 1), strings.Replace(fuzzedRoot, "66", "-1", 1),
		strings.Replace(fuzzedRoot, "/home/me/.codex", `\"/a\\xff\"`, 1), strings.Replace(fuzzedRoot, "/home/me/.codex", `relative`, 1),
		strings.Replace(fuzzedRoot, "shared_home", "Shared_Home", 1), strings.Replace(fuzzedRoot, "{", `{"former_shared_homes":["/a","\"\\x1b\""],"new":{"a":[1]},`, 1),
		strings.Replace(fuzzedRoot, "1", "2", 1), `{"schema_version":1,"shared_home":[[[[`, "{\"a\":\"\xff\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := account.ParseRoot(text)
		if err != nil {
			return
		}
		if !filepath.IsAbs(r.SharedHome.Path) {
			t.Errorf("parseRoot(%q) has the shared home %q", text, r.SharedHome.Path)
		}
		out, err := r.Text()
		if err != nil {
			t.Fatalf("parseRoot(%q).text() failed: %v", text, err)
		}
		again, err := account.ParseRoot(out)
		if err != nil {
			t.Fatalf("parseRoot(%q) of what was written failed: %v", out, err)
		}
		second, err := again.Text()
		if string(second) != string(out) || err != nil || again.SharedHome != r.SharedHome || again.Config != r.Config {
			t.Errorf("written %q, then %q, %v", out, second, err)
		}
	})
}
