//go:build unix

package confined

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/internal/account"
	"swop/internal/bridge"
	"swop/internal/disk"
	"swop/internal/say"
	"swop/internal/session"
	"swop/manager/verb"
)

func Bridge(call *verb.Call) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "bridge",
		Short:   "Show the bridges: tokens that sessions use and cannot read",
		Long:    "Show the bridges of the account that codex would run as here, and what they allow.",
		Example: verb.Example("codex swop bridge", "codex swop bridge --json"),
		Args:    verb.Takes(0),
		RunE:    verb.Answer(call.Look, bridgesHere, showBridges),
	}
	call.JSONFlag(cmd)
	return cmd
}

// bridgesAnswer is the answer of the verb, as --json prints it.
type bridgesAnswer struct {
	SchemaVersion int           `json:"schema_version"`
	Account       string        `json:"account"` // the key of the account that codex would run as here, "" for none
	Configured    []bridgeEntry `json:"configured"`
	Commands      []string      `json:"commands"` // the names of its host commands
}

type bridgeEntry struct {
	Name     string   `json:"name"`
	Kind     string   `json:"kind"`
	Upstream string   `json:"upstream"`
	Allow    []string `json:"allow"`
	Broad    bool     `json:"broad"` // the token is no fine-grained one: it gives more than the rules
}

func bridgesHere(s verb.Setup) (bridgesAnswer, error) {
	answer := bridgesAnswer{SchemaVersion: 1, Configured: []bridgeEntry{}, Commands: []string{}}
	choice, err := s.Here()
	if err != nil || choice.Label == "" {
		return answer, err
	}
	if answer.Account, err = config.Key(choice.Label); err != nil {
		return answer, err
	}
	acct, err := s.Store.Find(choice.Label) // one that does not exist yet has its key
	if disk.Ignore(err, account.ErrNoAccount) != nil {
		return answer, err
	}
	for _, b := range session.BridgesOf(s.Settings, acct) {
		e := bridgeEntry{b.Name, b.Kind, b.Upstream, []string{}, bridge.BroadToken(b, s.Places, s.Environ, s.Now)}
		for _, r := range b.Allow {
			e.Allow = append(e.Allow, r.Text)
		}
		answer.Configured = append(answer.Configured, e)
	}
	for _, c := range s.Settings.CommandsFor(answer.Account) {
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
	return call.Show(lines)
}
