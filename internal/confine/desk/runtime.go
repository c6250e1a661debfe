package desk

// RuntimeDir is where a confined session finds what it needs to know of itself, and whom to ask.
const RuntimeDir = "/run/swop"

// The sockets of a session's desk: programs inside ask by the one in [RuntimeDir], the user answers by the one in the session's directory,
// which nobody inside sees.
const (
	AskSocket     = "ask.sock"
	controlSocket = "control.sock"
)

// Desks is what a supervisor tells of itself, and what it answers to a [Decision].
type Desks struct {
	Account   string     `json:"account"`
	Dir       string     `json:"dir"`
	Questions []Question `json:"questions"`
	Error     string     `json:"error,omitempty"`
}
