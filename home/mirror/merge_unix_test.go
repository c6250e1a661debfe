//go:build unix

package mirror

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"swop/internal/testhome"
)

// Two accounts make a directory of the same name while none sees the other's. Where no file is on both sides, they become one.
func TestEngineNewDirectories(t *testing.T) {
	const log = logHeader
	for name, c := range map[string]struct{ start, want string }{
		"other files":        {`put $own/conf/a/file a; put $b/conf/b/file b`, `conf/a/file = a, conf/b/file = b`},
		"in one directory":   {`put $own/conf/d/a a; put $b/conf/d/b b`, `conf/d/a = a, conf/d/b = b`},
		"the same file":      {`put $own/conf/file a; put $own/conf/one a; put $b/conf/file b; put $b/conf/two b`, `conf/file = a, conf/one = a`},
		"a file, a dir":      {`put $own/conf/x/a a; put $b/conf/x b`, `conf/x/a = a`},
		"a log's database":   {`put $own/conf/x.db a; put $b/conf/x.db-wal ` + log, `conf/x.db = a`},
		"a database's log":   {`put $own/conf/x.db-wal ` + log + `; put $b/conf/x.db b`, `conf/x.db-wal = ` + log},
		"a log by name only": {`put $own/conf/x.db a; put $b/conf/x.db-shm b`, `conf/x.db = a, conf/x.db-shm = b`},
		"that replaced ours": {`mkdir $shared/conf; settle; rm $own/conf $b/conf; put $own/conf/a a; put $b/conf/b b`, `conf/`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, testhome.Scratch(t), "a", "b")
			w.do(`tick; settle; ` + c.start + `; settle`)
			got := slices.DeleteFunc(w.tree(w.shared), func(line string) bool { return line == "sessions/" || line == "skills/" })
			if strings.Join(got, ", ") != c.want {
				t.Errorf("the shared home has %q, want %q", got, c.want)
			}
			kept, err := filepath.Glob(filepath.Join(w.kept(), "*"))
			testhome.NoError(t, err)
			if len(w.said) != len(kept) {
				t.Errorf("said is %q of %q", w.said, kept)
			}
		})
	}
}
