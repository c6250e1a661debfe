package mount

// Kind says how a path is shown.
type Kind uint8

const (
	Writable  Kind = iota // the host's, writable
	Readonly              // the host's, not writable
	Empty                 // an empty directory of the session's own, which forgets what is put there
	Composed              // the same, but only what is mounted in it is there: it cannot be written
	Directory             // a directory of the session's own, in another one
	Link                  // a symbolic link to source
	Device                // the host's, which can be opened as a device
	Terminals             // terminals of the session's own
	Held                  // the host's link, which stays where it is
)

// Mount shows something at a path inside. A later one covers an earlier one.
type Mount struct {
	Kind   Kind
	Source string // of what the host has
	Target string
}
