package terminal

// The files of the console.
const (
	keyboardFile = "CONIN$"
	screenFile   = "CONOUT$"
)
