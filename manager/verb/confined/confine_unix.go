//go:build unix

package confined

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/internal/account/login"
	"swop/internal/account/store"
	"swop/internal/confine"
	"swop/internal/confine/desk"
	"swop/internal/disk"
	"swop/internal/say"
	"swop/manager/verb"
	"swop/shim"
)

// agents is a paragraph for AGENTS.md: it tells agents how to ask for more.
//
//go:embed agents.md
var agents string

func Confine(call *verb.Call) *cobra.Command {
	var forAgents bool
	cmd := &cobra.Command{
		Use:   "confine [LABEL POLICY]",
		Short: "Show how sessions are confined here, or confine an account",
		Long: "Without arguments, show the policy that confines codex's sessions here: what they may write and reach, what is given, and " +
			"whether this system can confine them.\n\nWith a label and a policy (" + strings.Join(config.Policies(), ", ") + "), confine the " +
			"account by it; off ends that. An account that changes between confined and off gets a fresh codex home: only its login moves. " +
			"With --agents, print a paragraph that tells agents how to ask for what they are refused.",
		Example: verb.Example("codex swop confine", "codex swop confine --json", "codex swop confine acme workspace-write",
			"codex swop confine --agents >>AGENTS.md"),
		ValidArgsFunction: verb.CompleteWords(call.Complete(verb.Labels), cobra.FixedCompletions(config.Policies(), verb.NoFiles)),
		Args:              verb.Takes(0, "LABEL", "POLICY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if forAgents && len(args) == 0 && !call.JSON {
				_, err := io.WriteString(call.Stdout, agents)
				return err
			}
			switch {
			case forAgents, len(args) == 2 && call.JSON:
				return verb.WrongUsage(cmd, "--agents and --json stand alone: leave out the rest")
			case len(args) == 1:
				return verb.WrongUsage(cmd, "missing POLICY: %s", strings.Join(config.Policies(), ", "))
			case len(args) == 2 && !slices.Contains(config.Policies(), args[1]):
				return verb.WrongUsage(cmd, "%q is not one of: %s", args[1], strings.Join(config.Policies(), ", "))
			case len(args) == 2:
				return verb.With(call.Open, func(s verb.Setup, args []string) error { return setConfinement(s, args[0], args[1]) })(cmd, args)
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
	return cmd
}

// setConfinement gives an account another policy.
func setConfinement(s verb.Setup, label, policy string) error {
	acct, err := s.Store.Find(label)
	if err != nil {
		return err
	}
	if policy == config.ConfineOff {
		policy = ""
	}
	if acct.Meta.Confine == policy {
		s.Say("the policy of account %q is %s already", acct.Meta.Label, cmp.Or(policy, config.ConfineOff))
		return nil
	}
	l, err := s.LockIdle(acct)
	if err != nil {
		return err
	}
	defer l.Release()
	if err := s.Rescue(acct); err != nil {
		return err
	}
	if login.Of(acct).MayBeInKeyring() {
		err := disk.Unsafe("the login of %q may be in the system's keyring, which no confined session reaches", acct.Meta.Label)
		return say.WithHint(err, "codex swop logout "+say.ShellQuote(acct.Meta.Label))
	}
	if err := store.SetConfinement(s.Store, acct, policy, func(text string) { s.Say("%s", text) }); err != nil {
		return err
	}
	if policy == "" {
		s.Say("account %q is no longer confined", acct.Meta.Label)
	} else {
		s.Say("account %q is confined: %s", acct.Meta.Label, policy)
	}
	return nil
}

// confineAnswer is the answer of the verb, as --json prints it.
type confineAnswer struct {
	SchemaVersion int             `json:"schema_version"`
	Label         string          `json:"label"`            // "" for no account
	Inside        bool            `json:"inside"`           // this is a confined session
	Policy        *confine.Policy `json:"policy,omitempty"` // none where sessions run unconfined
	Roots         []string        `json:"roots"`            // directories that can be written, beside the codex home and /tmp
	Given         []string        `json:"given"`            // paths in the home that can be read
	NotGiven      []string        `json:"not_given"`        // names in the home that are missing inside
	home          string
	Signals       string         `json:"signals,omitempty"` // the mechanism that confines signals to the session
	Lacks         string         `json:"lacks,omitempty"`   // what the kernel does not keep
	Unavailable   string         `json:"unavailable"`       // why sessions cannot be confined, "" if they can
	Command       string         `json:"command,omitempty"` // root's command that changes that
	Counts        map[string]int `json:"counts"`            // of events in the log

	Grants []desk.Question `json:"grants"` // grants to running sessions of the account
	Always []desk.Answer   `json:"always"` // grants for always, to sessions started here
}

// confinement returns the confinement of the session that this process is in, or else of a session started here.
func confinement(call *verb.Call) (c confineAnswer, err error) {
	c = confineAnswer{
		SchemaVersion: 1, Roots: []string{}, Given: []string{}, NotGiven: []string{},
		Grants: []desk.Question{}, Always: []desk.Answer{},
	}
	if in, err := confine.ReadInside(); err == nil {
		c.Label, c.Inside, c.Policy = in.Label, true, &in.Policy
		return c, nil
	}
	s, err := call.Look()
	if err != nil {
		return c, err
	}
	if c.Counts, err = desk.Counts(s.Places.Root); err != nil {
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
	mode, err := s.PolicyOf(choice.Label)
	if err != nil || mode == "" {
		return c, err
	}
	policy := confine.New(mode, s.Settings.ConfinementOf(key), s.Home)
	c.Policy = &policy
	c.Grants = desk.GrantsTo(s.Places.Root, key)
	dir, err := verb.Directory(nil)
	if err != nil {
		return c, err
	}
	c.home = disk.Resolve(s.Home)
	workspace, err := confine.WorkspaceOf(dir, c.home)
	if err != nil {
		return c, err
	}
	always, err := desk.AnswersFor(s.Places.Root, key, workspace, "")
	c.Always = append(c.Always, always...)
	if err != nil {
		return c, err
	}
	return c, tryConfinement(s, &c, workspace)
}

// tryConfinement fills in the paths that a session in the workspace gets, and why this system cannot confine it.
func tryConfinement(s verb.Setup, c *confineAnswer, workspace string) error {
	_, err := s.Codex()
	if err == nil {
		err = confine.Check()
		c.Signals, c.Lacks = confine.Kernel()
	}
	switch u, unavailable := errors.AsType[*confine.Unavailable](err); {
	case unavailable:
		c.Unavailable, c.Command = err.Error(), u.Command
	case errors.Is(err, shim.ErrNoCodex):
		c.Unavailable = err.Error()
	case err != nil:
		return err
	}
	own := confine.Own(s.Places, s.SharedHome())
	ofDisk, err := confine.ReadDisk()
	if err != nil {
		return err
	}
	err = c.Policy.Check(workspace, func(path string) string { return confine.Forbidden(path, c.home, own, ofDisk.Has) })
	if err != nil {
		c.Unavailable = cmp.Or(c.Unavailable, "no session can start here: "+err.Error())
		return nil
	}
	c.Roots = append(c.Roots, c.Policy.Roots(workspace)...)
	if !c.Policy.HasHome() {
		given := c.Policy.Given(s.Places, ofDisk, s.Env.Value("PATH"), workspace)
		c.Given = slices.DeleteFunc(append(c.Given, given.Paths()...), func(path string) bool { // sessions have nothing of these
			return slices.ContainsFunc(own, func(place string) bool { return config.Within(path, disk.Resolve(place)) })
		})
		for name := range given.Shared(disk.Resolve(s.SharedHome())) {
			c.Given = append(c.Given, filepath.Join(disk.Resolve(s.SharedHome()), name))
		}
		slices.Sort(c.Given)
		c.NotGiven = append(c.NotGiven, given.NotGiven(c.home, slices.Concat(c.Roots, c.Given))...)
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
	for _, lack := range []string{c.Lacks, c.Unavailable} {
		if lack != "" {
			text = append(text, lack)
		}
	}
	if c.Command != "" {
		text = append(text, "root allows it by: "+c.Command)
	}
	return call.Show(call.Sentences(text...))
}

// aboutPolicy returns the lines about a policy.
func aboutPolicy(c confineAnswer) (text []string) {
	list := func(name string, items []string) {
		if len(items) > 0 {
			text = append(text, name+": "+strings.Join(items, ", "))
		}
	}
	list("can be written", c.Roots)
	list("read-only in these", c.Policy.Readonly)
	if c.Policy.Git == config.GitWrite {
		text = append(text, "sessions can write .git: what they put there, as hooks, git runs outside")
	}
	var given []string
	for _, path := range c.Given {
		given = append(given, say.ShellPath(c.home, path))
	}
	list("given", given)
	list("not given of the home", c.NotGiven)
	list("hidden", c.Policy.Hidden)
	list("sockets", c.Policy.Sockets)
	switch {
	case c.Policy.Network.Host:
		text = append(text, "network: this machine's own")
	case c.Policy.Network.All:
		text = append(text, "network: every host but this machine")
	case len(c.Policy.Network.Hosts) == 0:
		text = append(text, "network: none")
	}
	list("network", c.Policy.Network.Hosts)
	for _, port := range c.Policy.Ports {
		text = append(text, fmt.Sprintf("this machine reaches the session's port %d", port))
	}
	if c.Policy.HasHome() {
		text = append(text, config.ConfineFull+" keeps logins apart, and is no protection from what an agent leaves in start-up files")
	}
	for _, q := range c.Grants {
		text = append(text, "given to a session that runs ("+q.How+"): "+q.Text())
	}
	for _, given := range c.Always {
		text = append(text, "granted for always: "+given.Text())
	}
	if c.Inside {
		text = append(text, "to ask the user for more: codex swop ask --help")
	}
	if c.Policy.Nested {
		text = append(text, "programs inside make mount namespaces: in what can be written nothing read-only or hidden is a promise")
	}
	if c.Policy.Fallback == config.FallbackPassthrough {
		text = append(text, "where it cannot be confined, codex runs UNCONFINED")
	}
	return text
}
