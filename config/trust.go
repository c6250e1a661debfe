package config

// maxText bounds what is read of a file that people edit, in bytes: a selector with a thousand bound directories has a quarter of it.
const maxText = 256 << 10

// readTrusted returns the contents of a file that decides whose login is used, "" where there is none. It may be readable by
// others and may be a link, but neither it nor a directory on the way to it may be writable by another user.
func readTrusted(file string, places Places) (string, error) {
	return readTrustedText(file, places, maxText)
}
