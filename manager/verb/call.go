// Package verb, swop's own, is shared by the verbs of codex swop: the call, accounts and settings, stopping and locking, and the form of a
// usage error. Below it is a package for each chapter of help, with one file per verb: the function with the name of the verb returns its
// command.
package verb

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/internal/account/store"
	"swop/internal/disk"
	"swop/internal/say"
	"swop/internal/session"
	"swop/manager/terminal"
	"swop/shim"
)

// Call is a call of codex swop: the arguments, environment and streams of its process.
type Call struct {
	Args       []string
	Environ    config.Env
	Executable string
	Now        func() time.Time
	terminal.Streams
	JSON bool // the verb prints JSON: --json
}

// Setup is a call with the accounts and the settings.
type Setup struct {
	*Call
	shim.Invocation
	Store    store.Store
	Settings config.Settings
}

// Look reads the accounts and the settings. It writes nothing.
func (c *Call) Look() (Setup, error) {
	s := Setup{Call: c}
	var err error
	if s.Invocation, err = session.Look(c.Environ); err != nil {
		return s, err
	}
	if err := s.Owned(); err != nil {
		return s, err
	}
	if s.Settings, err = config.ReadSettings(s.Places); err != nil {
		return s, err
	}
	s.Store, err = store.Open(s.Places)
	return s, err
}

// Open is [Call.Look] with the accounts brought up to date: see [Setup.CatchUp].
func (c *Call) Open() (Setup, error) {
	s, err := c.Look()
	if err == nil {
		s.CatchUp()
	}
	return s, err
}

// With returns the RunE of a verb that needs a Setup; open is [Call.Look] or [Call.Open].
func With(open func() (Setup, error), run func(s Setup, args []string) error) func(*cobra.Command, []string) error {
	return func(_ *cobra.Command, args []string) error {
		s, err := open()
		if err != nil {
			return err
		}
		return run(s, args)
	}
}

// Shim is the path of the shim beside this program.
func (c *Call) Shim() string { return filepath.Join(filepath.Dir(c.Executable), "codex"+disk.Exe) }

// Say prints a line on stderr.
func (c *Call) Say(format string, args ...any) { say.Line(c.Stderr, format, args...) }

// ElsewhereTexts returns a sentence for each other place of swop's root that holds accounts, with the command that makes it the root.
func (s Setup) ElsewhereTexts() (texts []string) {
	for _, other := range s.Store.Elsewhere(s.Env, "") {
		const text = "swop's root is %s; %s has accounts, too: %s"
		texts = append(texts, fmt.Sprintf(text, say.Name(s.Places.Root), say.Name(other.Dir), other.Line))
	}
	return texts
}
