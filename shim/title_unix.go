//go:build unix

package shim

import (
	"golang.org/x/sys/unix"

	"swop/config"
)

// showTitle writes the account's label into the title of the terminal that codex is to run on, if the user asked for that: the only thing
// that a start without messages writes. A label has no character that a terminal acts on.
func (d *Decision) showTitle() {
	if !d.Settings.Title || d.Prepared.Key == "" || kindOf(d.Args) != ordinary || !onTerminal(d.Env) {
		return
	}
	_, _ = unix.Write(2, []byte("\x1b]0;swop: "+d.Prepared.Meta.Label+"\a")) // a terminal that is gone is codex's to notice
}

// onTerminal reports whether both outputs are terminals that have a title.
func onTerminal(env config.Env) bool {
	if kind := env.Value("TERM"); kind == "" || kind == "dumb" || kind == "linux" {
		return false
	}
	_, err1 := unix.IoctlGetWinsize(1, unix.TIOCGWINSZ)
	_, err2 := unix.IoctlGetWinsize(2, unix.TIOCGWINSZ)
	return err1 == nil && err2 == nil
}
