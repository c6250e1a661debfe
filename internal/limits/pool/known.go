package pool

import "encoding/json"

// File identifies a file and its contents: by inode and the time of the last change, in nanoseconds since 1970. The zero value is a missing
// file.
type File struct {
	Inode uint64
	Mtime int64
}

// Known is the file usage/auto: all accounts with their last readings, by label.
type Known struct {
	SchemaVersion int       `json:"schema_version"`
	Dir           File      `json:"dir"` // the directory of the accounts when they were listed
	Accounts      []Account `json:"accounts"`
}

const knownVersion = 2

// Text returns the file's text.
func (k Known) Text() []byte {
	k.SchemaVersion = knownVersion
	text, _ := json.Marshal(k) // numbers, keys and times can always be written
	return text
}

// Parse reads a text of [Known.Text]. It reports false for any other text.
func (k *Known) Parse(text string) bool {
	return json.Unmarshal([]byte(text), k) == nil && k.SchemaVersion == knownVersion
}
