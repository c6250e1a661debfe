//go:build unix

package disk

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"swop/internal/test/testfile"
)

func TestCompanions(t *testing.T) {
	const wal, journal = "\x37\x7f\x06\x83 pages", "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7 pages"
	shm, done := companionHeaders[3]+" index", strings.Repeat("\x00", 28)+"pages"
	for name, c := range map[string]struct {
		files map[string]string // by name
		want  []string
	}{
		"a database alone":            {map[string]string{"x": databaseHeader}, nil},
		"its log":                     {map[string]string{"x": databaseHeader, "x-wal": wal, "x-shm": shm}, []string{"x-wal", "x-shm"}},
		"an empty log":                {map[string]string{"x": databaseHeader, "x-wal": "", "x-shm": done}, []string{"x-wal", "x-shm"}},
		"a journal that is done with": {map[string]string{"x": databaseHeader, "x-journal": done}, []string{"x-journal"}},
		"a first transaction":         {map[string]string{"x": "", "x-journal": journal}, []string{"x-journal"}},
		"an encrypted database":       {map[string]string{"x": "?", "x-wal": wal}, []string{"x-wal"}},
		"a text beside a database":    {map[string]string{"x": databaseHeader, "x-journal": "today"}, nil},
		"texts":                       {map[string]string{"x": "todo", "x-journal": "today"}, nil},
		"an empty file beside a text": {map[string]string{"x": "todo", "x-journal": ""}, nil},
	} {
		dir := t.TempDir()
		for name, text := range c.files {
			testfile.Put(t, filepath.Join(dir, name), text, 0o600)
		}
		d, err := Open(dir, NoFollow)
		testfile.NoError(t, err)
		if got := Companions("x", d); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		testfile.NoError(t, d.Close())
	}
}
