// Package seatbelt writes a policy as a profile of macOS's sandbox. Profiles are compared, and no session runs in one: nobody has tried
// them.
package seatbelt

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"swop/internal/confine"
)

// Scene is all that decides what a session may do. Paths are absolute, with links resolved: Seatbelt compares what a path leads to.
type Scene struct {
	Policy confine.Policy

	Home       string // the user's own
	Root       string // swop's root
	Account    string // the account's directory in it
	SharedHome string // the codex home that unconfined accounts share
	Config     string // where selector.toml and config.toml lie
	Temp       string // a directory of the session's own

	Workspace confine.Root // what is writable around the working directory: see [confine.WorkspaceOf]
	Programs  []string     // the directories of swop's programs, and the real codex
	Hidden    []string     // what it must not see beside the policy's
}

// SandboxExec runs a program in a sandbox of macOS: sandbox-exec(1).
const SandboxExec = "/usr/bin/sandbox-exec"

// base is what every program may do. It is denied to ask services for anything but what it takes to run: some of them start programs
// outside of the sandbox.
//
//go:embed base.sb
var base string

// network lets a program reach every host.
//
//go:embed network.sb
var network string

// profile is a profile that is being written, with its parameters: paths are no text of it. Of its rules the last one that matches counts.
type profile struct {
	text   strings.Builder
	params []string
}

// rule writes a rule for paths: how is below or only.
func (b *profile) rule(action, how string, paths ...string) {
	for _, path := range paths {
		n := len(b.params) / 2 // each has a flag before it
		fmt.Fprintf(&b.text, "(%s (%s \"P%d\"))\n", action, how, n)
		b.params = append(b.params, "-D", fmt.Sprintf("P%d=%s", n, path))
	}
}

// Args returns sandbox-exec with its arguments before the program, or a [*confine.Violation].
func (s *Scene) Args() ([]string, error) {
	var roots []confine.Root
	for i, path := range s.Policy.Roots(s.Workspace.Path) {
		if roots = append(roots, s.Workspace); i > 0 {
			roots[i] = s.Policy.RootAt(path, s.Policy.Git)
		}
	}
	kept := slices.Concat([]string{s.Config, s.Root, s.SharedHome}, s.Programs)
	if err := s.Policy.Check(s.Workspace.Path, func(path string) string { return confine.Forbidden(path, s.Home, kept) }); err != nil {
		return nil, err
	}
	var b profile
	b.text.WriteString(base)
	own, hidden := filepath.Join(s.Account, "home"), slices.Concat(s.Policy.Hidden, s.Hidden)
	b.rule("deny file-read*", "below", s.Root, s.SharedHome)
	b.rule("allow file-read-metadata", "only", s.Root, filepath.Dir(s.Account), s.Account)
	b.rule("allow file-read*", "below", own)
	b.rule("deny file-read*", "below", hidden...)
	b.write(s, roots, slices.Concat(kept, hidden))
	b.rule("allow file-write*", "below", s.Temp, own) // they may lie in swop's root
	b.connect(s)
	return slices.Concat([]string{SandboxExec, "-p", b.text.String()}, b.params), nil
}

// write gives a session what the policy makes writable, and nothing that later sessions or programs outside obey.
func (b *profile) write(s *Scene, roots []confine.Root, kept []string) {
	b.text.WriteString("(allow file-write* (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/tty\") (literal \"/dev/ptmx\") (regex #\"^/dev/ttys[0-9]+$\") (regex #\"^/dev/fd/\"))\n")
	if s.Policy.HasHome() {
		b.text.WriteString("(allow file-write*)\n")
	}
	for _, root := range roots {
		b.rule("allow file-write*", "below", root.Path)
		b.rule("deny file-write*", "below", root.Readonly...)
	}
	var above []string
	for _, path := range kept {
		for dir := filepath.Dir(path); dir != "/"; dir = filepath.Dir(dir) {
			above = append(above, dir)
		}
	}
	slices.Sort(above)
	b.rule("deny file-write-unlink", "only", slices.Compact(above)...)
	b.rule("deny file-write*", "below", kept...)
}

// connect lets a session reach what the policy says, and no other Unix socket than those that are named.
func (b *profile) connect(s *Scene) {
	if s.Policy.Network.All {
		b.text.WriteString(network)
	}
	b.rule("allow network*", "below", s.Temp)
	b.rule("allow network-outbound", "only", s.Policy.Sockets...)
}
