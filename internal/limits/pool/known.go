package pool

import "encoding/json"

// File tells a file from what it was before: its inode and the time of its last change, in nanoseconds since 1970. The zero value is
// that of a missing file.
type File struct {
	Inode uint64
	Mtime int64
}

// Known is the file usage/auto: what is known of all accounts, in the order of their labels.
type Known struct {
	SchemaVersion int       `json:"schema_version"`
	Dir           File      `json:"dir"` // the directory of the accounts, when they were listed
	Accounts      []Account `json:"accounts"`
}

const knownVersion = 2

// Text returns the file's text.
func (k Known) Text() []byte {
	k.SchemaVersion = knownVersion
	text, _ := json.Marshal(k) // numbers, keys and times can always be written
	return text
}

// Parse reads the text of the file. It reports false for any other text than one that [Known.Text] returned.
func (k *Known) Parse(text string) bool {
	return json.Unmarshal([]byte(text), k) == nil && k.SchemaVersion == knownVersion
}
