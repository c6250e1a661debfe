package mountns

import (
	"encoding/gob"
	"io"
)

// Plan is what [Run] is to do.
type Plan struct {
	Stage      string // a directory that is not needed any more when all is mounted
	Upper      string // of an [Overlay]: see [MakeUpper]
	Program    string // the first one inside, which calls [Finish]
	Args, Env  []string
	OwnNetwork bool // the session has no network but its own
	Mounts     []Mount
	Watch      []Mount // what stays in its place, though a program outside replaces it
}

// Order is what the supervisor says after the plan: to show a path of the host in the session, or to show it no longer.
type Order struct {
	ID     string
	Mounts []Mount // the first is what is shown, the others are in it; none to end it
	Watch  []Mount
}

// Answer says how it went with the plan or an order, or, unasked, what was noticed.
type Answer struct {
	Error        string
	LacksOverlay bool // only what is written is shown in place of an [Overlay]
	Notice       *Notice
}

// Control is one end of the socket between [Run] and the supervisor. That sends a [Plan], then orders.
type Control struct {
	io.Closer
	*gob.Encoder
	*gob.Decoder
}

// NewControl returns what sends and receives over a socket. Strings keep their bytes, whatever they are.
func NewControl(of io.ReadWriteCloser) Control {
	return Control{of, gob.NewEncoder(of), gob.NewDecoder(of)}
}
