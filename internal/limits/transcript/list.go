package transcript

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Session is what the beginning of a transcript says.
type Session struct {
	ID      string
	Dir     string // where it was begun, "" where that is not said
	Prompt  string // the first line that the user wrote, "" for none yet
	Begun   time.Time
	Updated time.Time // the last change of its transcript
	// CreatorAccount and CreatorUser are OpenAI's ids of whose login made it, since codex 0.163; "" for an API key's, and before.
	CreatorAccount string
	CreatorUser    string
	Release        string // of codex
	Helper         bool   // codex began it for another one
}

// List returns the sessions in a codex home that were begun in dir, all for "", those that changed last first. What is no transcript is
// passed over, and so are the sessions of codex's own helpers.
func List(codexHome, dir string) ([]Session, error) {
	files, err := Files(filepath.Join(codexHome, "sessions"))
	if err != nil {
		return nil, err
	}
	found := make([]*Session, len(files))
	var all sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		all.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(files); i = next.Add(1) - 1 {
				if s, ok := read(files[i], dir); ok {
					found[i] = &s
				}
			}
		})
	}
	all.Wait()
	var list []Session
	for _, s := range found {
		if s != nil {
			list = append(list, *s)
		}
	}
	slices.SortStableFunc(list, func(a, b Session) int { return b.Updated.Compare(a.Updated) })
	return list, nil
}

// Files returns the transcripts below dir, which may have directories for year, month and day.
func Files(dir string) ([]string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var files []string
	err = filepath.WalkDir(real, func(path string, entry fs.DirEntry, err error) error {
		name := filepath.Base(path)
		switch {
		case err != nil && path == real:
			return err
		case err != nil:
			return nil // gone meanwhile, or closed to us
		case entry.Type().IsRegular() && strings.HasPrefix(name, "rollout-") && strings.HasSuffix(name, ".jsonl"):
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

// read reads the beginning of a transcript: see [Parse].
func read(file, dir string) (Session, bool) {
	f, err := os.OpenFile(file, os.O_RDONLY, 0)
	if err != nil {
		return Session{}, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return Session{}, false
	}
	s, ok := Parse(f, dir)
	s.Updated = info.ModTime()
	return s, ok
}
