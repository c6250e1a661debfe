//go:build unix

package config

import "path/filepath"

// maxText bounds what is read of a file that people edit, in bytes: a selector with a thousand bound directories has a quarter of it.
const maxText = 256 << 10

// ReadTrusted returns the contents of the file called name in the directory of the configuration, "" if it is missing. Such a file decides
// whose login is used: it may be readable by others and may be a link, but neither it nor a directory on the way to it may be
// writable by another user.
func ReadTrusted(places *Places, name string) (string, error) {
	return readTrustedText(filepath.Join(places.Config, name), places, maxText)
}

// FastRead reads the selector if the file is missing or simple enough for [FastTree]. It reports false for any other file and for every
// defect: file.ReadSelector reads the one and explains the other.
func (s *Selector) FastRead(places *Places) bool {
	tree, ok := readFast(places, SelectorFile)
	if !ok {
		return false
	}
	var err error
	*s, err = DecodeSelector(tree)
	return err == nil
}

// FastRead reads the settings if the file is missing, which means the defaults, or simple enough for [FastTree]. It reports false for any
// other file and for every defect: file.ReadSettings reads the one and explains the other; s is undefined then.
func (s *Settings) FastRead(places *Places) bool {
	tree, ok := readFast(places, SettingsFile)
	if !ok {
		return false
	}
	return s.decode(tree) == nil
}

// readFast returns the tree of a file in the directory of the configuration; that of a missing file is empty.
func readFast(places *Places, name string) (*Table, bool) {
	text, err := ReadTrusted(places, name)
	if err != nil {
		return nil, false
	}
	return FastTree(text)
}
