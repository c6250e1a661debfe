package mountns

import "strings"

// Kind says how a path is shown.
type Kind uint8

const (
	Writable  Kind = iota // the host's, writable
	Readonly              // the host's, not writable
	Empty                 // an empty directory of the session's own, which forgets what is put there
	Nothing               // for a file: it cannot even be read
	Fixed                 // what was shown there cannot be written any more
	Devices               // a small /dev of its own
	Processes             // /proc, of its own
	Link                  // a symbolic link to source
	Directory             // an empty directory of the session's own, in another one
)

// Mount shows something at a path inside. A later one covers an earlier one.
type Mount struct {
	Kind   Kind
	Source string // of what the host has
	Target string
}

// mode is that of the host's directory, as far as programs expect it.
func (m Mount) mode() string {
	switch m.Target {
	case "/tmp":
		return "1777"
	case "/run":
		return "0755"
	}
	return "0700"
}

// NulSeparated is a list of arguments as bwrap --args reads it.
func NulSeparated(args []string) string {
	return strings.Join(args, "\x00") + "\x00"
}
