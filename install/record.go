package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"swop/say"
)

const schema = 1

// A record is <prefix>/install.json: what uninstall could not see by itself. It may be lost; then a directory that was made for a
// start-up file stays behind, and start-up files at unusual places keep their lines.
type record struct {
	Schema      int      `json:"schema_version"`
	Home        string   `json:"home"`
	Files       []string `json:"files"`       // start-up files that were given swop's lines
	Directories []string `json:"directories"` // that were not there before
	EveryPrompt bool     `json:"every_prompt,omitempty"`
}

func recordFile(prefix string) string { return filepath.Join(prefix, "install.json") }

// readRecord returns an empty record where there is none, or where it is of another home: then the prefix is shared, and what
// its owner's install did is not for us to undo.
func readRecord(prefix, home string) (record, error) {
	empty := record{Schema: schema, Home: home, Files: []string{}, Directories: []string{}}
	text, err := os.ReadFile(recordFile(prefix))
	if notThere(err) || errors.Is(err, fs.ErrPermission) && !mayWrite(prefix) {
		return empty, nil
	}
	if err != nil {
		return empty, err
	}
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return empty, say.WithHint(fmt.Errorf("%s: %v", recordFile(prefix), err), fmt.Sprintf("rm %s", posix.quote(recordFile(prefix))))
	}
	if r.Schema != schema {
		return empty, fmt.Errorf("%s: schema_version is %d, this swop knows %d", recordFile(prefix), r.Schema, schema)
	}
	if r.Home != home {
		return empty, nil
	}
	return r, nil
}

// notThere is true for the error of a path that names nothing, also where a file stands in the place of a directory on the way.
func notThere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// note adds file and directories to the record and writes it, before they are made: what was written down and never made
// does no harm. In a prefix that belongs to another user there is no record of ours.
func (s *session) note(file string, directories ...string) error {
	before := len(s.record.Files) + len(s.record.Directories)
	if file != "" {
		s.record.Files = add(s.record.Files, file)
	}
	for _, d := range directories {
		s.record.Directories = add(s.record.Directories, d)
	}
	if before == len(s.record.Files)+len(s.record.Directories) || !mayWrite(s.prefix) {
		return nil
	}
	return s.writeRecord()
}

// noteEveryPrompt keeps what was asked for, for later runs.
func (s *session) noteEveryPrompt() error {
	if !s.o.EveryPrompt || s.record.EveryPrompt {
		return nil
	}
	s.record.EveryPrompt = true
	if !mayWrite(s.prefix) {
		return nil
	}
	return s.writeRecord()
}

func (s *session) writeRecord() error {
	existed, err := s.writeRecordTo(recordFile(s.prefix))
	if err == nil {
		s.report.did(recordFile(s.prefix), newOrChanged(existed))
	}
	return err
}

func (s *session) writeRecordTo(path string) (existed bool, err error) {
	text, err := json.MarshalIndent(s.record, "", "  ")
	if err != nil {
		return false, err
	}
	f, err := readText(path)
	if err != nil {
		return false, err
	}
	return f.info != nil, f.replace(append(text, '\n'))
}

func add(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// missing returns the directories that must be made for dir to be there, the outermost first.
func missing(dir string) []string {
	var dirs []string
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		dirs = append(dirs, dir)
	}
	slices.Reverse(dirs)
	return dirs
}

func makeDirs(dirs []string) error {
	for _, dir := range dirs {
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}
