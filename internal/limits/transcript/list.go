package transcript

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"swop/internal/disk"
	"swop/internal/disk/sys"
)

// Session is a session by the beginning of its transcript.
type Session struct {
	ID      string
	Dir     string // the directory where it was begun, "" where codex does not say
	Prompt  string // the first line that the user wrote, "" before the first prompt
	Begun   time.Time
	Updated time.Time // the last change of its transcript
	// CreatorAccount and CreatorUser are OpenAI's ids of the login that made it, since codex 0.163; "" before, and for an API key.
	CreatorAccount string
	CreatorUser    string
	Release        string // of codex
}

// List returns the sessions in a codex home that were begun in dir, all for "", the one that changed last first. Other files, and sessions
// of codex's own helpers, are passed over.
func List(codexHome, dir string) ([]Session, error) {
	root, files, err := sessions(codexHome)
	if err != nil {
		return nil, disk.Ignore(err, fs.ErrNotExist)
	}
	defer root.Close()
	list := make([]Session, len(files))
	disk.Parallel(len(files), func(i int) { list[i] = read(root, files[i], dir) })
	list = slices.DeleteFunc(list, func(s Session) bool { return s.ID == "" })
	slices.SortStableFunc(list, func(a, b Session) int { return b.Updated.Compare(a.Updated) })
	return list, nil
}

// The bounds of a search. Files that a confined session made must not make a user wait.
const (
	mostEntries = 100_000
	mostDeep    = 3 // directories for year, month and day
)

// sessions opens the directory of sessions in a codex home, and returns the names of the transcripts there, in the directories for year,
// month and day.
func sessions(codexHome string) (root *os.Root, files []string, err error) {
	// with a slash at its end the path waits for no FIFO
	if root, err = os.OpenRoot(filepath.Join(codexHome, "sessions") + string(filepath.Separator)); err != nil {
		return nil, nil, err
	}
	dirs := []string{"."}
	for left := mostEntries; len(dirs) > 0 && left > 0; dirs = dirs[1:] {
		in, err := root.OpenFile(dirs[0], os.O_RDONLY|sys.O_NONBLOCK, 0) // a session may have put a FIFO there
		if err != nil {
			continue // gone meanwhile, or closed to us
		}
		entries, _ := in.ReadDir(left) // as many as can be read
		_ = in.Close()                 // nothing was written
		left -= len(entries)
		for _, entry := range entries {
			switch name, path := entry.Name(), filepath.Join(dirs[0], entry.Name()); {
			case entry.IsDir() && strings.Count(path, string(filepath.Separator)) < mostDeep:
				dirs = append(dirs, path)
			case entry.Type().IsRegular() && strings.HasPrefix(name, "rollout-") && strings.HasSuffix(name, ".jsonl"):
				files = append(files, path)
			}
		}
	}
	return root, files, nil
}

// open opens a transcript, a regular file.
func open(root *os.Root, file string) (*os.File, error) {
	f, err := root.OpenFile(file, os.O_RDONLY|sys.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, f.Close(), errors.New("is no transcript"))
	}
	return f, nil
}

// read reads the beginning of a transcript: see [Parse]. It returns the zero value for any other file.
func read(root *os.Root, file, dir string) (s Session) {
	f, err := open(root, file)
	if err != nil {
		return s
	}
	defer f.Close()
	s, ok := Parse(f, dir)
	info, err := f.Stat()
	if !ok || err != nil {
		return Session{}
	}
	s.Updated = info.ModTime()
	return s
}
