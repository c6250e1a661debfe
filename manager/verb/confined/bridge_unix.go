//go:build unix

package confined

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/internal/account"
	"swop/internal/bridge"
	"swop/internal/say"
	"swop/internal/session"
	"swop/manager/verb"
	"swop/shim"
)

func Bridge(call *verb.Call) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bridge [check NAME]",
		Short: "Show the bridges: tokens that sessions use and cannot read",
		Long: "Show the bridges of the account that codex would run as here, and those of the sessions that run: what they allow, and how many\n" +
			"requests they allowed and refused. With check, send one request that the bridge allows, and one that it refuses.",
		ValidArgsFunction: verb.CompleteWords(
			cobra.FixedCompletions([]cobra.Completion{"check\ttry a bridge"}, verb.NoFiles),
			verb.CompleteFrom(func() (bridgeSetup, error) { return lookAtBridges(call) }, verb.NoFiles, bridgeNames),
		),
		Example: verb.Example("codex swop bridge", "codex swop bridge --json", "codex swop bridge check github"),
		Args:    verb.Takes(0, "check", "NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				answer, err := bridgesHere(call)
				if err != nil {
					return err
				}
				return verb.Print(call, answer, showBridges)
			case args[0] != "check":
				return verb.WrongUsage(cmd, "unexpected argument %q", args[0])
			case len(args) == 1:
				return verb.WrongUsage(cmd, "missing NAME")
			}
			return checkBridge(call, args[1])
		},
	}
	call.JSONFlag(cmd)
	return cmd
}

// bridgesAnswer is the answer of the verb, as --json prints it.
type bridgesAnswer struct {
	SchemaVersion int            `json:"schema_version"`
	Account       string         `json:"account"` // the key of the one that codex would run as here, "" for none
	Configured    []bridgeEntry  `json:"configured"`
	Commands      []string       `json:"commands"` // how its host commands are called
	Sessions      []bridge.State `json:"sessions"`
}

type bridgeEntry struct {
	Name     string   `json:"name"`
	Kind     string   `json:"kind"`
	Upstream string   `json:"upstream"`
	Allow    []string `json:"allow"`
	Broad    bool     `json:"broad"` // its token can do more than one that is fine-grained
}

// bridgeSetup is what the verbs of bridges work with.
type bridgeSetup struct {
	verb.Setup
	key     string
	account account.Account // with its key alone if it does not exist yet
	bridges config.Bridges
}

// lookAtBridges finds the account that codex would run as here.
func lookAtBridges(call *verb.Call) (b bridgeSetup, err error) {
	if b.Setup, err = call.Look(); err != nil {
		return b, err
	}
	choice, err := b.Setup.Here()
	if err == nil && choice.Label != "" {
		b.key, err = config.Key(choice.Label)
	}
	b.account = account.Account{Key: b.key}
	if acct, missing := b.Store.Find(choice.Label); missing == nil {
		b.account = acct
	}
	b.bridges, _ = session.BridgesOf(b.Settings, b.account).Only(choice.Bridges) // a start says which one is missing
	return b, err
}

// bridgesHere describes the bridges of the session that this runs in, or else those of the account and of all sessions.
func bridgesHere(call *verb.Call) (bridgesAnswer, error) {
	answer := bridgesAnswer{SchemaVersion: 1, Configured: []bridgeEntry{}, Commands: []string{}}
	if state, err := bridge.StateOf(bridgeDir(call)); err == nil {
		answer.Account, answer.Sessions = state.Account, []bridge.State{state}
		for _, b := range state.Bridges {
			answer.Configured = append(answer.Configured, bridgeEntry{b.Name, b.Kind, b.Upstream, b.Allow, b.Broad})
		}
		answer.Commands = append(answer.Commands, state.Commands...)
		return answer, nil
	}
	s, err := lookAtBridges(call)
	if err != nil {
		return answer, err
	}
	answer.Account, answer.Sessions = s.key, bridge.States(s.Places.Root)
	if s.key == "" {
		return answer, nil
	}
	for _, b := range s.bridges {
		e := bridgeEntry{b.Name, b.Kind, b.Upstream, []string{}, bridge.BroadToken(b, s.Invocation.Home, call.Environ)}
		for _, r := range b.Allow {
			e.Allow = append(e.Allow, r.Text)
		}
		answer.Configured = append(answer.Configured, e)
	}
	for _, c := range s.Settings.CommandsFor(s.key) {
		answer.Commands = append(answer.Commands, c.Name)
	}
	return answer, nil
}

func showBridges(call *verb.Call, b bridgesAnswer) error {
	var lines []string
	add := func(indent int, format string, args ...any) {
		lines = append(lines, say.Fold(say.Printable(fmt.Sprintf(format, args...)), call.Width(), indent)...)
	}
	switch {
	case b.Account == "":
		add(0, "codex runs without an account here, so without bridges")
	case len(b.Configured)+len(b.Commands) == 0:
		add(0, "the account %q has no bridge in config.toml", b.Account)
	}
	for _, e := range b.Configured {
		add(2, "%s (%s, to %s) allows %s", e.Name, e.Kind, e.Upstream, cmp.Or(strings.Join(e.Allow, ", "), "nothing"))
		if e.Broad {
			add(4, "  its token is broad: GitHub lets it do all that you can")
		}
	}
	for _, name := range b.Commands {
		add(2, "%s", name)
	}
	for _, s := range b.Sessions {
		add(0, "session of %q, process %d:", s.Account, s.Pid)
		for _, e := range s.Bridges {
			add(4, "  %s: %d allowed, %d refused; %s", e.Name, e.Allowed, e.Refused, e.Socket)
		}
	}
	return call.Show(lines)
}

// checkBridge tries a bridge: that of the session which this runs in, or else one that is opened for it.
func checkBridge(call *verb.Call, name string) error {
	state, err := bridge.StateOf(bridgeDir(call))
	if err != nil {
		opened, err := openBridges(call)
		if err != nil {
			return err
		}
		defer opened.Close()
		if state, err = bridge.StateOf(opened.Dir()); err != nil {
			return err
		}
	}
	for _, b := range state.Bridges {
		if b.Name == name {
			return showCheck(call, b)
		}
	}
	return say.WithHint(fmt.Errorf("there is no bridge %q here", name), "codex swop bridge")
}

// openBridges opens the bridges of the account that codex would run as here.
func openBridges(call *verb.Call) (*bridge.Session, error) {
	s, err := lookAtBridges(call)
	if err != nil {
		return nil, err
	}
	ready := shim.Prepared{Account: s.account, Settings: s.Settings}
	o := session.BridgeOptions(s.Invocation, ready, call.Now)
	o.Bridges = s.bridges
	return bridge.Start(o)
}

// errCheck says that a bridge does not do what it should.
var errCheck = errors.New("the bridge does not work")

func showCheck(call *verb.Call, b bridge.BridgeState) error {
	good, bad, ok, err := b.Check()
	if err != nil {
		return err
	}
	lines := []string{"allow has no GET, so nothing that is allowed is tried"}
	if ok {
		lines[0] = triedText(good, "allowed")
	}
	refused := bad.Status >= 400 && bad.Message != ""
	lines = append(lines, triedText(bad, "refused"))
	if err := call.Show(lines); err != nil {
		return err
	}
	if ok && good.Message != "" || !refused {
		return errCheck
	}
	return nil
}

func triedText(t bridge.Tried, want string) string {
	text := fmt.Sprintf("to be %s: %s %s: %d", want, t.Method, t.Path, t.Status)
	if t.Message != "" {
		text += ", " + t.Message
	}
	return say.Printable(text)
}

// bridgeDir is the directory of the bridges of the session that this runs in, "" outside of one.
func bridgeDir(call *verb.Call) string { return call.Environ.Value(bridge.DirVariable) }

// bridgeNames returns the names of the bridges of the account that codex would run as here.
func bridgeNames(s bridgeSetup, _ string) (list []cobra.Completion) {
	for _, b := range s.bridges {
		list = append(list, cobra.CompletionWithDesc(b.Name, b.Upstream))
	}
	return list
}
