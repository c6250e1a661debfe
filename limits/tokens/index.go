package tokens

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"swop/disk"
	"swop/limits/transcript"
)

// index is what was read of all transcripts, by their paths. It may be lost at any time.
type index struct {
	SchemaVersion int              `json:"schema_version"`
	Transcripts   map[string]*read `json:"transcripts"`
}

const schemaVersion = 1

// maxIndex bounds what is read of an index, in bytes: a transcript takes some 300.
const maxIndex = 1 << 28

// load returns the index in a file: an empty one where that is missing, torn or of another schema.
func load(file string) index {
	var x index
	text, err := disk.ReadOwn(file, maxIndex)
	if err != nil || json.Unmarshal([]byte(text), &x) != nil || x.SchemaVersion != schemaVersion || x.Transcripts == nil {
		return index{schemaVersion, map[string]*read{}}
	}
	return x
}

// Count returns what the sessions in a codex home have used, also those that are archived. The index in the file keeps what was read of them; where it cannot be written,
// the next call reads them again.
func Count(codexHome, indexFile string) ([]Session, error) {
	var files []string
	for _, dir := range []string{"sessions", "archived_sessions"} {
		list, err := transcript.Files(filepath.Join(codexHome, dir))
		if err != nil {
			return nil, err
		}
		files = append(files, list...)
	}
	before := load(indexFile)
	found, changed := readAll(files, before)
	if changed || len(found) != len(before.Transcripts) {
		if text, err := json.Marshal(index{schemaVersion, found}); err == nil {
			_ = disk.WriteFile(indexFile, text) // it saves time only
		}
	}
	sessions := make([]Session, 0, len(found))
	for _, file := range files {
		if r := found[file]; r != nil {
			sessions = append(sessions, r.Session)
		}
	}
	return sessions, nil
}

// readAll returns what the transcripts say, and whether that is not what the index says. One that cannot be read is left out.
func readAll(files []string, before index) (map[string]*read, bool) {
	list := make([]*read, len(files))
	var changed atomic.Bool
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		all.Go(func() {
			in := bufio.NewReaderSize(nil, 64<<10)
			for i := next.Add(1) - 1; int(i) < len(files); i = next.Add(1) - 1 {
				was := before.Transcripts[files[i]]
				now, err := readOne(files[i], was, in)
				if err == nil {
					list[i] = now
				}
				if now != was {
					changed.Store(true)
				}
			}
		})
	}
	all.Wait()
	found := make(map[string]*read, len(files))
	for i, r := range list {
		if r != nil {
			found[files[i]] = r
		}
	}
	return found, changed.Load()
}

// readOne returns what a transcript says: was, which is not changed, if the file is as it was then; else with what was appended since, or from the
// beginning if it is shorter than before.
func readOne(file string, was *read, in *bufio.Reader) (*read, error) {
	info, err := os.Lstat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: file, Err: errors.ErrUnsupported}
	}
	size, mtime := info.Size(), info.ModTime().UnixNano()
	r := &read{}
	switch {
	case was == nil, was.Offset < 0, was.Offset > was.Size, size < was.Size, size == was.Size && mtime != was.Mtime:
	case size == was.Size:
		return was, nil
	default:
		copied := *was
		copied.Parts = append([]Part(nil), was.Parts...)
		r = &copied
	}
	r.Size, r.Mtime = size, mtime
	return r, r.advance(file, in)
}
