package install

// State is the state of an installation in the user's shells.
type State struct {
	Shells []Shell
	// Outdated are the start-up files that lack swop's lines, or in which others follow them. Install repairs them.
	Outdated []string
	// OnPath reports whether an install added swop's lines to start-up files; after --no-modify-path it did not.
	OnPath bool
	// EveryPrompt reports whether the lines for every prompt are among them.
	EveryPrompt bool
}

// A Shell is a bash, zsh or fish that the user has: the one that SHELL names, or one with start-up files here.
type Shell struct {
	Name string
	Path string // the program
	Own  bool   // the one that SHELL names
}
