//go:build unix

package mirror

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/disk"
	"swop/internal/testhome"
)

const databaseName = "state_5.sqlite"

// logHeader begins a write-ahead log of SQLite.
const logHeader = "\x37\x7f\x06\x82"

// makeDatabase does what SQLite does: it follows a link, also a dangling one, and puts the log beside the target. The first token of
// a log is that of its database.
func (p *play) makeDatabase(by string) {
	path := realPath(filepath.Join(p.dirOf(by), databaseName))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return
	}
	t := p.newToken(by, databaseName)
	_, err = f.WriteString(t.text)
	testhome.NoError(p.t, err)
	testhome.NoError(p.t, f.Close())
	// A log beside a new database is not its own: SQLite removes it.
	p.seen(path+"-wal", true)
	testhome.NoError(p.t, disk.RemoveIfExists(path+"-wal"))
	testhome.PutText(p.t, path+"-wal", t.text)
	p.note("%s: database %s at %s", by, t.text, p.words(path))
}

// logDatabase commits to the log of the database that is there.
func (p *play) logDatabase(by string) {
	path := realPath(filepath.Join(p.dirOf(by), databaseName))
	if !testhome.Exists(path) {
		return
	}
	owner := strings.SplitAfter(testhome.TextOf(path), ">")[0]
	if !testhome.Exists(path + "-wal") {
		testhome.PutText(p.t, path+"-wal", owner)
	} else if !strings.HasPrefix(testhome.TextOf(path+"-wal"), owner) {
		p.t.Errorf("the log %q is not that of the database %q at %s", testhome.TextOf(path+"-wal"), owner, p.words(path))
	}
	f, err := os.OpenFile(path+"-wal", os.O_WRONLY|os.O_APPEND, 0)
	testhome.NoError(p.t, err)
	t := p.newToken(by, databaseName+"-wal")
	_, err = f.WriteString(t.text)
	testhome.NoError(p.t, err)
	testhome.NoError(p.t, f.Close())
	p.note("%s: commit %s to %s", by, t.text, p.words(path))
}

// A link that a session puts in the place of a database waits, and says why.
func TestEngineDatabaseReplacedByLink(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	testhome.PutText(t, filepath.Join(w.shared, databaseName), "shared")
	testhome.NoError(t, w.settle())
	db := filepath.Join(w.codex("a"), databaseName)
	testhome.NoError(t, os.Remove(db))
	testhome.NoError(t, os.Symlink(filepath.Join(w.home, "elsewhere"), db))
	testhome.NoError(t, w.reconcile("a", noProcesses))
	defects, err := Examine(w.store, w.accounts["a"], w.root, w.settings)
	testhome.NoError(t, err)
	if list := Waiting(defects); len(list) != 1 || !strings.Contains(list[0].Text, "in the place of a database's file") || list[0].Do == "" {
		t.Errorf("waiting = %+v, want the link, with its reason", list)
	}
}

// realPath resolves a link at path, which may dangle.
func realPath(path string) string {
	if target, err := os.Readlink(path); err == nil && filepath.IsAbs(target) {
		return target
	}
	return path
}

// strayLogs returns the logs that are not beside their database.
func (p *testWorld) strayLogs() (stray []string) {
	dirs := []string{p.shared, p.kept()}
	for _, key := range p.keys() {
		dirs = append(dirs, p.codex(key))
	}
	for _, dir := range dirs {
		testhome.NoError(p.t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			at := strings.Index(filepath.Base(path), "-wal")
			if err != nil || at < 0 || !entry.Type().IsRegular() {
				return err
			}
			db, isLog := strings.CutSuffix(path, "-wal") // the name that SQLite looks for
			if owner := strings.TrimSuffix(strings.SplitAfter(testhome.TextOf(path), ">")[0], " log"); !isLog || !strings.HasPrefix(testhome.TextOf(db), owner) {
				stray = append(stray, p.words(path)+" of "+owner)
			}
			return nil
		}))
	}
	return stray
}

// putDatabase makes a database with its log. SQLite removes a log that it finds beside a new database.
func putDatabase(t testing.TB, dir, text string) {
	testhome.NoError(t, disk.RemoveIfExists(filepath.Join(dir, databaseName+"-wal")))
	testhome.PutText(t, filepath.Join(dir, databaseName), text)
	testhome.PutText(t, filepath.Join(dir, databaseName+"-wal"), text+" log")
}
