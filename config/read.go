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

// FastRead reads the selector, an empty one if the file is missing. It reports false for every defect, which file.ReadSelector explains.
func (s *Selector) FastRead(places *Places) bool {
	tree, err := read(places, SelectorFile)
	if err == nil {
		*s, err = DecodeSelector(tree)
	}
	return err == nil
}

// FastRead reads the settings, the defaults if the file is missing. It reports false for every defect, which file.ReadSettings explains; s
// is undefined then.
func (s *Settings) FastRead(places *Places) bool {
	tree, err := read(places, SettingsFile)
	return err == nil && s.decode(tree) == nil
}

// read returns the tree of a file in the directory of the configuration; that of a missing file is empty.
func read(places *Places, name string) (*Table, error) {
	text, err := ReadTrusted(places, name)
	if err != nil {
		return nil, err
	}
	return Parse(text)
}
