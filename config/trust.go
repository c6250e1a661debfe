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
