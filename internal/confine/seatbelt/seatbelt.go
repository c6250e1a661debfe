// Package seatbelt confines sessions by the sandbox of macOS.
package seatbelt

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"swop/config"
	"swop/internal/confine"
	"swop/internal/home/rules"
)

// Scene is all that decides what a session may do. Paths are absolute, with links resolved: Seatbelt compares what a
// path leads to.
type Scene struct {
	Policy confine.Policy

	Home       string // the user's own
	Root       string // swop's root
	Account    string // the account's directory in it
	CodexHome  string // the account's
	SharedHome string // the codex home that all accounts share
	Config     string // where selector.toml and config.toml lie
	Temp       string // a directory of the session's own

	Workspace confine.Root // what is writable around the working directory: see [confine.WorkspaceOf]
	Programs  []string     // the directories of swop's programs, and the real codex
	Hidden    []string     // what it must not see beside the policy's
	Visible   []string     // directories of sockets that it needs
	Ports     []int        // of the bridges
}

// SandboxExec runs a program in a sandbox of macOS: sandbox-exec(1).
const SandboxExec = "/usr/bin/sandbox-exec"

// Args returns sandbox-exec with its arguments before the program, or a [*confine.Violation]. Paths are parameters of the profile, and no text of it.
func (s *Scene) Args() ([]string, error) {
	roots, err := s.roots()
	if err != nil {
		return nil, err
	}
	var b profile
	b.text.WriteString(seatbeltBase)
	b.hide(s)
	b.write(s, roots)
	b.codexHomes(s)
	b.network(s)
	args := []string{SandboxExec, "-p", b.text.String()}
	for _, param := range b.params {
		args = append(args, "-D", param)
	}
	return args, nil
}

// roots returns what the policy makes writable.
func (s *Scene) roots() ([]confine.Root, error) {
	if s.Policy.Mode != config.ConfineWorkspace {
		return nil, nil
	}
	roots := []confine.Root{s.Workspace}
	for _, path := range s.Policy.Writable {
		roots = append(roots, confine.RootAt(path))
	}
	own := slices.Concat([]string{s.Root, s.Config, s.SharedHome}, s.Programs)
	return roots, s.Policy.Check(roots, func(path string) string { return confine.Forbidden(path, s.Home, own) })
}

// seatbeltBase is what every program may do. It is denied to ask services for anything but what it takes to run: some of them start programs
// outside of the sandbox.
//
//go:embed base.sb
var seatbeltBase string

// seatbeltNetwork lets a program reach every host.
//
//go:embed network.sb
var seatbeltNetwork string

// profile is a profile that is being written, with its parameters. Of its rules the last one that matches counts.
type profile struct {
	text   strings.Builder
	params []string
}

// path makes a path a parameter, and returns its name, quoted.
func (b *profile) path(kind, path string) string {
	n := 0
	for _, param := range b.params {
		name, value, _ := strings.Cut(param, "=")
		if value == path && strings.HasPrefix(name, kind) {
			return strconv.Quote(name)
		}
		if strings.HasPrefix(name, kind) {
			n++
		}
	}
	name := fmt.Sprintf("%s_%d", kind, n)
	b.params = append(b.params, name+"="+path)
	return strconv.Quote(name)
}

// rule writes a rule for paths: how is below or only.
func (b *profile) rule(action, kind, how string, paths ...string) {
	for _, path := range paths {
		fmt.Fprintf(&b.text, "(%s (%s %s))\n", action, how, b.path(kind, path))
	}
}

// hide keeps a session from reading other accounts, swop's files, the login in the shared codex home, and what the policy hides.
func (b *profile) hide(s *Scene) {
	b.rule("deny file-read*", "ROOT", "below", s.Root)
	b.rule("allow file-read-metadata", "WAY", "only", s.Root, filepath.Dir(s.Account), s.Account)
	b.rule("allow file-read*", "ACCOUNT", "below", filepath.Join(s.Account, "home"))
	b.rule("allow file-read*", "VISIBLE", "below", s.Visible...)
	for _, row := range rules.CodexHomeTable {
		if row.Confined == rules.Own {
			fmt.Fprintf(&b.text, "(deny file-read* (matching %s %s))\n", b.path("SHARED", s.SharedHome), seatbeltPattern(row.Pattern))
		}
	}
	b.rule("deny file-read*", "HIDDEN", "below", slices.Concat(s.Policy.Hidden, s.Hidden)...)
}

// write gives a session what the policy makes writable, and nothing that later sessions or programs outside obey.
func (b *profile) write(s *Scene, roots []confine.Root) {
	b.text.WriteString("(allow file-write* (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/tty\") (literal \"/dev/ptmx\") (regex #\"^/dev/ttys[0-9]+$\") (regex #\"^/dev/fd/\"))\n")
	if s.Policy.Mode == config.ConfineFull {
		b.text.WriteString("(allow file-write*)\n")
	}
	b.rule("allow file-write*", "TEMP", "below", s.Temp)
	for _, root := range roots {
		b.rule("allow file-write*", "WRITABLE", "below", root.Path)
		b.rule("deny file-write*", "READONLY", "below", root.Readonly...)
		if s.Policy.Git != config.GitWrite {
			b.rule("deny file-write*", "GIT", "below", root.Git...)
		}
	}
	kept := slices.Concat([]string{s.Config, s.Root, s.SharedHome}, s.Programs)
	var above []string
	for _, path := range kept {
		for dir := filepath.Dir(path); dir != "/"; dir = filepath.Dir(dir) {
			above = append(above, dir)
		}
	}
	slices.Sort(above)
	b.rule("deny file-write-unlink", "ABOVE", "only", slices.Compact(above)...)
	b.rule("deny file-write*", "KEPT", "below", append(kept, slices.Concat(s.Policy.Hidden, s.Hidden)...)...)
	b.rule("allow file-write*", "TEMP", "below", s.Temp) // it may lie in swop's root
}

// codexHomes lets the session write the account's home, which is its own.
func (b *profile) codexHomes(s *Scene) {
	b.rule("allow file-write*", "OWN", "below", filepath.Join(s.Account, "home"))
}

// seatbeltPattern returns, as a string of a profile, the regular expression for what a pattern of the table of entries matches in a directory, and for all
// below it.
func seatbeltPattern(pattern string) string {
	var b strings.Builder
	b.WriteString("/")
	for _, r := range pattern {
		switch {
		case r == '*':
			b.WriteString("[^/]*")
		case strings.ContainsRune(`.+?()[]{}^$|\`, r):
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return strconv.Quote(b.String() + "(/.*)?$")
}

// network lets a session reach what the policy says, its bridges, and no other Unix socket than those that are named.
func (b *profile) network(s *Scene) {
	if s.Policy.Network.All {
		b.text.WriteString(seatbeltNetwork)
	}
	for _, port := range s.Ports {
		fmt.Fprintf(&b.text, "(allow network-outbound (remote ip \"localhost:%d\"))\n", port)
	}
	b.rule("allow network-outbound", "VISIBLE", "below", s.Visible...)
	b.rule("allow network*", "TEMP", "below", s.Temp)
	b.rule("allow network-outbound", "SOCKET", "only", s.Policy.Sockets...)
}
