package oracle

import (
	"archive/tar"
	"bytes"
	"compress/zlib"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// contents are what files hold, and a path of each.
type contents map[string]string

// addBelow adds the contents of all files below dir, except for those below some names. Those of archives are the files in them, those of git's objects the blobs; databases are
// compared by their rows.
func (c contents) addBelow(dir string, but ...string) {
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error { // what is removed meanwhile is not there
		if slices.Contains(but, strings.TrimPrefix(path, dir+"/")) {
			return fs.SkipDir
		}
		if err != nil || !entry.Type().IsRegular() || isDatabase(path) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil {
			c.add(path, text)
		}
		return nil
	})
}

func (c contents) add(path string, text []byte) {
	switch {
	case strings.HasSuffix(path, ".tar"):
		c.addArchive(path, text)
	case strings.Contains(path, "/.git/"):
		c.addBlob(path, text)
	case len(text) > 0:
		c[string(text)] = path
	}
}

func (c contents) addArchive(path string, text []byte) {
	archive := tar.NewReader(bytes.NewReader(text))
	for {
		header, err := archive.Next()
		if err != nil {
			return // the end, or no archive
		}
		if member, err := io.ReadAll(archive); err == nil && len(member) > 0 {
			c[string(member)] = path + ":" + header.Name
		}
	}
}

// addBlob adds what a loose object of git holds if it is a file; git's own files are not anybody's.
func (c contents) addBlob(path string, text []byte) {
	r, err := zlib.NewReader(bytes.NewReader(text))
	if err != nil {
		return
	}
	object, err := io.ReadAll(r)
	head, blob, ok := strings.Cut(string(object), "\x00")
	if err == nil && ok && strings.HasPrefix(head, "blob ") && blob != "" {
		c[blob] = path
	}
}

// isDatabase reports whether a path is that of a database or of its companions.
func isDatabase(path string) bool {
	for _, end := range []string{"-wal", "-shm", "-journal"} {
		path = strings.TrimSuffix(path, end)
	}
	return strings.HasSuffix(path, ".db")
}

// rows returns what a database holds: its rows, a line each, or why it cannot be read. It changes nothing in its directory.
func rows(database, scratch string) string {
	copied := filepath.Join(scratch, "copy.db")
	for _, end := range []string{"", "-wal"} {
		_ = os.Remove(copied + end) // of the last call
		if text, err := os.ReadFile(database + end); err == nil {
			if err := os.WriteFile(copied+end, text, 0o600); err != nil {
				return err.Error()
			}
		}
	}
	out, err := exec.Command("sqlite3", copied, "pragma integrity_check; select * from t order by 1").CombinedOutput()
	if err != nil {
		return string(out) + err.Error()
	}
	return string(out)
}

// kept returns the paths of all files of versions that swop keeps.
func (w *world) kept() (paths []string) {
	_ = filepath.WalkDir(filepath.Join(w.real, ".swop/kept"), func(path string, entry fs.DirEntry, err error) error { // without any, there is no directory
		if err == nil && entry.Type().IsRegular() && !strings.HasSuffix(path, "/about.json") {
			paths = append(paths, path)
		}
		return nil
	})
	return paths
}

// keeps reports whether a version that swop keeps is this text.
func (w *world) keeps(text string) bool {
	for _, path := range w.kept() {
		if got, err := os.ReadFile(path); err == nil && string(got) == text {
			return true
		}
	}
	return false
}

func (c contents) has(text string) bool { return c[text] != "" }

// contentsOf returns what all files below a home hold, without those below these directories of it.
func (w *world) contentsOf(home string, but ...string) contents {
	c := contents{}
	c.addBelow(home, but...)
	return c
}
