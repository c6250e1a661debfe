package limits

import (
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/limits/transcript"
	"swop/internal/limits/usage"
	"swop/internal/say"
	"swop/manager/terminal"
	"swop/manager/verb"
)

func Sessions(call *verb.Call) *cobra.Command {
	var everywhere bool
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List the sessions of this directory, whichever account made them",
		Long: "List the sessions that were begun in this directory, whichever account made them, those used last first. Since 0.169 codex's " +
			"own lists show a ChatGPT account only the sessions that it made. An account with private state has sessions of its own, and they " +
			"are shown only where codex runs as it.",
		Example: verb.Example("codex swop sessions", "codex swop sessions --all", "codex swop resume --last"),
		Args:    verb.Takes(0),
		RunE: verb.Answer(call.Open,
			func(s verb.Setup) (sessionsAnswer, error) { return sessions(s, everywhere) },
			func(call *verb.Call, l sessionsAnswer) error { return showSessions(call, l, everywhere) }),
	}
	cmd.Flags().BoolVar(&everywhere, "all", false, "of all directories")
	call.JSONFlag(cmd)
	return cmd
}

// sessionsAnswer is the answer of the verb, as --json prints it.
type sessionsAnswer struct {
	SchemaVersion int            `json:"schema_version"`
	Sessions      []sessionEntry `json:"sessions"`
}

type sessionEntry struct {
	ID        string    `json:"id"`
	Label     string    `json:"label"` // of the account that made it; "" where swop does not know the account
	Key       string    `json:"key"`
	Dir       string    `json:"directory"`
	Prompt    string    `json:"prompt"` // its first line
	Begun     time.Time `json:"begun_at"`
	Updated   time.Time `json:"updated_at"`
	Release   string    `json:"codex_version,omitempty"`
	isForeign bool      // its maker is a ChatGPT account that swop does not have, or that is logged out
	isPrivate bool      // the account has it in private state
}

func sessions(s verb.Setup, everywhere bool) (sessionsAnswer, error) {
	dir := ""
	if !everywhere {
		if dir = s.PoolDir(); dir == "" {
			return sessionsAnswer{}, errNoDirectory
		}
	}
	list, err := sessionsIn(s, dir)
	return sessionsAnswer{1, list}, err
}

// sessionsIn returns the sessions that were begun in the directory, all for "": the shared ones, or if codex runs here as an account with
// private state, that account's.
func sessionsIn(s verb.Setup, dir string) ([]sessionEntry, error) {
	all, err := usage.Survey(s.Store, s.Now())
	if err != nil {
		return nil, err
	}
	home, owner := s.SharedHome(), (*usage.Surveyed)(nil)
	if choice, err := s.Here(); err == nil { // without a choice the shared ones are listed
		for i, one := range all.Accounts {
			if config.HasKey(choice.Label, one.Key) && one.Meta.State == account.StatePrivate {
				home, owner = one.CodexHome(), &all.Accounts[i]
			}
		}
	}
	if owner != nil && owner.Meta.Confine != "" { // a session may have made a link there, to the sessions of another account
		if there, err := disk.Lstat(filepath.Join(home, "sessions")); err != nil || !there.IsDir() {
			return []sessionEntry{}, err
		}
	}
	found, err := transcript.List(home, dir)
	if err != nil {
		return nil, err
	}
	list := make([]sessionEntry, 0, len(found))
	for _, f := range found {
		e := sessionEntry{ID: f.ID, Dir: f.Dir, Prompt: f.Prompt, Begun: f.Begun, Updated: account.Seconds(f.Updated), Release: f.Release}
		maker := owner
		if owner == nil {
			maker = madeBy(all, f)
		}
		if maker != nil {
			e.Label, e.Key = maker.Meta.Label, maker.Key
		}
		e.isForeign, e.isPrivate = maker == nil && f.CreatorAccount != "", owner != nil
		list = append(list, e)
	}
	return list, nil
}

// madeBy returns the account whose login made the shared session, nil where swop does not know it. An account with private state made none:
// a confined session may have written its login. A user may have logins in several workspaces, and a workspace several users.
func madeBy(all usage.AllAccounts, s transcript.Session) *usage.Surveyed {
	if s.CreatorAccount == "" {
		return nil
	}
	for i, one := range all.Accounts {
		who := one.Identity
		isUser := who.User == s.CreatorUser || who.User == "" || s.CreatorUser == ""
		if one.Meta.State == account.StateShared && who.Account == s.CreatorAccount && isUser {
			return &all.Accounts[i]
		}
	}
	return nil
}

// by returns the maker of the session, for people.
func (e sessionEntry) by() string {
	switch {
	case e.Label != "":
		return e.Label
	case e.isForeign:
		return "another"
	}
	return "-"
}

func showSessions(call *verb.Call, l sessionsAnswer, everywhere bool) error {
	if len(l.Sessions) == 0 {
		if everywhere {
			call.Say("there are no sessions yet")
		} else {
			say.Error(call.Stderr, errNoSession)
		}
		return nil
	}
	now := call.Now()
	columns := []terminal.Column{
		terminal.NewColumn("USED", l.Sessions, func(e sessionEntry) string { return terminal.Ago(now, &e.Updated) }),
		terminal.NewColumn("ACCOUNT", l.Sessions, sessionEntry.by),
		terminal.NewColumn("ID", l.Sessions, func(e sessionEntry) string { return e.ID }),
	}
	if everywhere {
		columns = append(columns, terminal.NewColumn("DIRECTORY", l.Sessions, func(e sessionEntry) string { return e.Dir }))
	}
	return call.Show(call.Table(append(columns, terminal.NewColumn("PROMPT", l.Sessions, sessionEntry.begins))))
}

// begins returns the beginning of the prompt.
func (e sessionEntry) begins() string { return terminal.Cut(e.Prompt, 40) }
