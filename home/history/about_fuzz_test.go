//go:build unix

package history

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"swop/disk"
	"swop/internal/testhome"
)

// FuzzReadAbout reads a description made of anything: an error, or an entry below a home, which is written and read the same.
func FuzzReadAbout(f *testing.F) {
	for _, seed := range []string{
		"", "null", "{}", `{"schema_version":1,"view":"codex","path":"\"config.toml\"","account":"work","time":"2026-03-01T12:00:00Z","why":"replaced"}`,
		`{"schema_version":1,"view":"home","path":"\"a\\nb\\xff\"","account":"","time":"0001-01-01T00:00:00Z","why":""}`,
		`{"schema_version":1,"view":"home","path":"\"../x\""}`, `{"schema_version":1,"view":"home","path":"'a'"}`, "{\"path\":\"\xff\"}",
		`{"schema_version":1,"view":"home","path":"` + "`a\\\\b`" + `"}`, `{"schema_version":1,"view":"home","path":"\"a\\x00\""}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := openTemp(t)
		testhome.NoError(t, os.WriteFile(filepath.Join(d.Path, AboutFile), []byte(text), 0o600))
		a, err := ReadAbout(d)
		if err != nil {
			return
		}
		if !filepath.IsLocal(a.Path) || a.View != CodexView && a.View != HomeView {
			t.Errorf("ReadAbout(%q) = %+v", text, a)
		}
		again := openTemp(t)
		if err := WriteAbout(again, a); err != nil {
			if (time.Time{}).Equal(a.Time) || a.Time.Year() > 9999 || a.Time.UTC().Year() > 9999 || a.Time.UTC().Year() < 0 {
				return // RFC 3339 has four digits for the year
			}
			t.Fatalf("WriteAbout(%+v) failed: %v", a, err)
		}
		if b, err := ReadAbout(again); err != nil || !b.Time.Equal(a.Time) || b.Path != a.Path || b.View != a.View {
			t.Errorf("of %q, %+v is read after %+v was written: %v", text, b, a, err)
		}
	})
}

func openTemp(t *testing.T) disk.Dir {
	t.Helper()
	d, err := disk.Open(t.TempDir(), disk.NoFollow)
	testhome.NoError(t, err)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}
