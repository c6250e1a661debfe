//go:build unix

package confined

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"swop/config"
	"swop/confine"
	"swop/confine/desk"
	"swop/confine/preflight"
	"swop/manager/verb"
	"swop/session"
	"swop/shim"
)

func Confine(call *verb.Call) *cobra.Command {
	var forAgents, forAppArmor bool
	cmd := &cobra.Command{
		Use:   "confine",
		Short: "Show how sessions are confined here, and whether they can be",
		Long: "Show the policy that confines codex's sessions here: what they may write and reach, what is hidden, and whether this system can\n" +
			"confine them. Nothing is changed. The policy is set in config.toml, by codex swop bind --confine, or by " + shim.PolicyVariable + " for one call.\n" +
			"With --agents, print a paragraph that tells agents how to ask for what they are refused; with --apparmor, a profile for systems where\n" +
			"AppArmor lets only programs with a profile make user namespaces, as Ubuntu does.",
		Example: verb.Example("codex swop confine", "codex swop confine --json", shim.PolicyVariable+"=read-only codex swop confine", "codex swop confine --agents >>AGENTS.md"),
		Args:    verb.Takes(0),
		RunE: func(*cobra.Command, []string) error {
			if forAgents {
				_, err := io.WriteString(call.Stdout, agents)
				return err
			}
			if forAppArmor {
				program, err := filepath.EvalSymlinks(filepath.Join(filepath.Dir(call.Shim()), "codex-swop")) // as AppArmor knows it
				if err != nil {
					return err
				}
				_, err = io.WriteString(call.Stdout, preflight.AppArmorProfile(program))
				return err
			}
			answer, err := confinement(call)
			if err != nil {
				return err
			}
			return verb.Print(call, answer, showConfinement)
		},
	}
	call.JSONFlag(cmd)
	cmd.Flags().BoolVar(&forAgents, "agents", false, "print a paragraph for AGENTS.md")
	cmd.Flags().BoolVar(&forAppArmor, "apparmor", false, "print a profile that lets codex-swop make user namespaces")
	return cmd
}

// confineAnswer is the answer of the verb, as --json prints it.
type confineAnswer struct {
	SchemaVersion int             `json:"schema_version"`
	Label         string          `json:"label"`             // "" for no account
	Inside        bool            `json:"inside"`            // this is a confined session
	Policy        *confine.Policy `json:"policy,omitempty"`  // none where sessions run unconfined
	Roots         []string        `json:"roots"`             // what can be written, beside the codex home and /tmp
	Backend       string          `json:"backend,omitempty"` // the program that makes the sandbox
	Signals       string          `json:"signals,omitempty"` // what keeps signals in the session
	Unavailable   string          `json:"unavailable"`       // why sessions cannot be confined, "" if they can
	Command       string          `json:"command,omitempty"` // by which root changes that
	Counts        map[string]int  `json:"counts"`            // of events in the log
	Secrets       []string        `json:"secret_variables"`  // that look like secrets, and that a session gets
	WritesKernel  bool            `json:"writes_kernel"`     // a session could write the kernel's settings, as root can

	Grants []desk.Question `json:"grants"` // what the account's sessions that run were given
	Always []desk.Answer   `json:"always"` // what was answered for always, for sessions started here
}

// confinement returns how a session started here would be confined, or how the one is that this process is in.
func confinement(call *verb.Call) (c confineAnswer, err error) {
	c = confineAnswer{SchemaVersion: 1, Roots: []string{}, Grants: []desk.Question{}, Always: []desk.Answer{}, Secrets: []string{}}
	if in, err := confine.ReadInside(); err == nil {
		c.Label, c.Inside, c.Policy = in.Label, true, &in.Policy
		return c, nil
	}
	s, err := call.Look()
	if err != nil {
		return c, err
	}
	s.SayStrays()
	if c.Counts, err = confine.Counts(s.Places.Root); err != nil {
		return c, err
	}
	choice, err := s.Here()
	if err != nil || choice.Label == "" {
		return c, err
	}
	c.Label = choice.Label
	key, err := config.Key(choice.Label)
	if err != nil {
		return c, err
	}
	mode, err := s.Policy(choice.Confine, &s.Settings, key)
	if err != nil || mode == "" {
		return c, err
	}
	policy := confine.New(mode, s.Settings.ConfinementOf(key), s.Home)
	c.Policy, c.Secrets = &policy, secretVariables(s.Environ, s.Settings.TokenVariables())
	c.WritesKernel = unix.Access("/proc/sys/kernel/core_pattern", unix.W_OK) == nil
	c.Grants = desk.GrantsTo(s.Places.Root, key)
	dir, err := verb.Directory(nil)
	if err != nil {
		return c, err
	}
	always, err := confine.AnswersFor(s.Places.Root, key, dir, s.Home)
	c.Always = append(c.Always, always...)
	if err != nil {
		return c, err
	}
	return c, tryConfinement(s, &c, dir)
}

// tryConfinement fills in what a session in the directory could write, and what makes its sandbox.
func tryConfinement(s verb.Setup, c *confineAnswer, dir string) error {
	_, err := s.Codex()
	if err == nil {
		c.Backend, err = session.CheckConfinement(s.Places)
		c.Signals = session.KeepsSignals()
	}
	switch u, unavailable := errors.AsType[*preflight.Unavailable](err); {
	case unavailable:
		c.Unavailable, c.Command = err.Error(), u.Command
	case errors.Is(err, shim.ErrNoCodex):
		c.Unavailable = err.Error()
	case err != nil:
		return err
	}
	if c.Policy.Mode == config.ConfineWorkspace {
		c.Roots = append([]string{confine.WorkspaceOf(dir, s.Home)}, c.Policy.Writable...)
	}
	return nil
}

func showConfinement(call *verb.Call, c confineAnswer) error {
	var text []string
	switch {
	case c.Label == "":
		text = append(text, "codex runs without an account here, unconfined")
	case c.Policy == nil:
		text = append(text, fmt.Sprintf("codex runs as %q here, unconfined", c.Label))
	case c.Inside:
		text = append(text, fmt.Sprintf("this session of %q is confined: %s", c.Label, c.Policy.Mode))
	default:
		text = append(text, fmt.Sprintf("codex runs as %q here, confined: %s", c.Label, c.Policy.Mode))
	}
	if c.Policy != nil {
		text = append(text, aboutPolicy(c)...)
	}
	switch {
	case c.Unavailable != "":
		text = append(text, c.Unavailable)
		if c.Command != "" {
			text = append(text, "root allows it by: "+c.Command)
		}
	case c.Backend != "":
		text = append(text, "the sandbox is made by "+c.Backend)
	}
	return call.Show(call.Sentences(text...))
}

// aboutPolicy says what a policy gives and takes.
func aboutPolicy(c confineAnswer) (text []string) {
	list := func(name string, items []string) {
		if len(items) > 0 {
			text = append(text, name+": "+strings.Join(items, ", "))
		}
	}
	list("can be written", c.Roots)
	list("read-only in these", c.Policy.Readonly)
	if c.Policy.Git == config.GitWrite {
		text = append(text, GitWrite)
	}
	list("hidden", c.Policy.Hidden)
	list("sockets", c.Policy.Sockets)
	switch {
	case c.Policy.Network.All:
		text = append(text, "network: all")
	case len(c.Policy.Network.Hosts) == 0:
		text = append(text, "network: none")
	}
	list("network", c.Policy.Network.Hosts)
	for _, q := range c.Grants {
		text = append(text, "given to a session that runs ("+q.How+"): "+q.Text())
	}
	for _, kept := range c.Always {
		text = append(text, kept.Verdict()+" for always: "+kept.Text())
	}
	list("variables that look like secrets, and are passed on", c.Secrets)
	if c.WritesKernel {
		text = append(text, "this is root: a session can write the kernel's settings, by which the kernel runs programs outside; run what you do not trust as an ordinary user")
	}
	if c.Inside {
		text = append(text, "to ask the user for more: codex swop ask --help")
	}
	if c.Policy.Fallback == config.FallbackPassthrough {
		text = append(text, "where it cannot be confined, codex runs UNCONFINED")
	}
	return text
}
