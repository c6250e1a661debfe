package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"swop/say"
)

const schema = 1

// A record is <prefix>/install.json: what uninstall could not find out by itself. If it is lost, a directory that was made for a
// start-up file stays behind, and start-up files in unusual places keep their lines.
type record struct {
	Schema      int      `json:"schema_version"`
	Home        string   `json:"home"`
	Files       []string `json:"files"`       // start-up files that got swop's lines
	Directories []string `json:"directories"` // that install made
	EveryPrompt bool     `json:"every_prompt,omitempty"`
	Prompt      bool     `json:"prompt,omitempty"`
}

func recordFile(prefix string) string { return filepath.Join(prefix, "install.json") }

// readRecord returns an empty record where the file is missing, or where it is of another home: then the prefix is shared, and what
// its owner's install did is not ours to undo.
func readRecord(prefix, home string) (record, error) {
	empty := record{Schema: schema, Home: home, Files: []string{}, Directories: []string{}}
	text, err := os.ReadFile(recordFile(prefix))
	if isMissing(err) || errors.Is(err, fs.ErrPermission) && !mayWrite(prefix) {
		return empty, nil
	}
	if err != nil {
		return empty, err
	}
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return empty, say.WithHint(fmt.Errorf("%s: %v", recordFile(prefix), err), "rm "+say.ShellQuote(recordFile(prefix)))
	}
	if r.Schema != schema {
		return empty, fmt.Errorf("%s: schema_version is %d, this swop knows %d", recordFile(prefix), r.Schema, schema)
	}
	if r.Home != home {
		return empty, nil
	}
	return r, nil
}

// note adds file and directories to the record and writes it, before they are made: to record what was never made does no harm.
func (s *session) note(file string, directories ...string) error {
	before := len(s.record.Files) + len(s.record.Directories)
	if file != "" {
		s.record.Files = add(s.record.Files, file)
	}
	for _, d := range directories {
		s.record.Directories = add(s.record.Directories, d)
	}
	if before == len(s.record.Files)+len(s.record.Directories) {
		return nil
	}
	return s.writeRecord()
}

// recordWishes records EveryPrompt and Prompt for later runs.
func (s *session) recordWishes() error {
	before := [...]bool{s.record.EveryPrompt, s.record.Prompt}
	if s.o.EveryPrompt != nil {
		s.record.EveryPrompt = *s.o.EveryPrompt
	}
	if s.o.Prompt != nil {
		s.record.Prompt = *s.o.Prompt
	}
	if before == [...]bool{s.record.EveryPrompt, s.record.Prompt} {
		return nil
	}
	return s.writeRecord()
}

// writeRecord writes nothing in a prefix that belongs to another user.
func (s *session) writeRecord() error {
	if !mayWrite(s.prefix) {
		return nil
	}
	text, err := json.MarshalIndent(s.record, "", "  ")
	if err != nil {
		return err
	}
	f, err := readText(recordFile(s.prefix))
	if err == nil {
		err = f.replace(append(text, '\n'))
	}
	if err == nil {
		s.report.did(f.path, newOrChanged(f.info != nil))
	}
	return err
}

func add(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
