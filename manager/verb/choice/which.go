package choice

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/confine"
	"swop/internal/limits/pool"
	"swop/internal/say"
	"swop/manager/verb"
	"swop/shim"
)

// whichInside is the answer of which in a confined session.
func whichInside(s verb.Setup, in confine.Inside) WhichAnswer {
	real, err := s.Codex()
	return WhichAnswer{
		SchemaVersion: 1, Label: in.Label, Key: in.Key, Exists: true, Why: shim.BySession, Policy: in.Policy.Mode,
		Codex: real.Path, NoCodex: err, OutrankedBy: append([]string{}, s.Env.Credentials()...), Sandbox: filepath.Dir(in.CodexHome),
	}
}

func Which(call *verb.Call) *cobra.Command {
	var short bool
	cmd := &cobra.Command{
		Use:   "which",
		Short: "Show which account codex would run as here, and why",
		Long: "Show which account codex would run as here, and why, and which program is the real codex. Nothing is changed.\n\n" +
			"With --short, for a shell prompt, it prints only the label, and an empty line for no account.",
		Example: verb.Example("codex swop which", `PS1='[$(codex swop which --short)] '$PS1`, "codex swop which --json"),
		Args:    verb.Takes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := verb.Exclusive(cmd, "short", "json"); err != nil {
				return err
			}
			if short {
				label, err := label(call)
				if err != nil {
					return err
				}
				return verb.Line(call.Stdout, label)
			}
			return verb.Answer(call.Look, which, showWhich)(cmd, args)
		},
	}
	cmd.Flags().BoolVar(&short, "short", false, "print only the label")
	call.JSONFlag(cmd)
	return cmd
}

// WhichAnswer is the answer of the verb, as --json prints it.
type WhichAnswer struct {
	SchemaVersion int          `json:"schema_version"`
	Label         string       `json:"label"`          // "" for none
	Key           string       `json:"key"`            // "" for none
	Exists        bool         `json:"exists"`         // the account has a sandbox
	Why           shim.Why     `json:"why"`            // the setting that decided
	Path          string       `json:"path,omitempty"` // the bound directory
	Pool          string       `json:"pool,omitempty"` // the key of the pool that gives the account
	PoolReason    pool.Reason  `json:"pool_reason,omitempty"`
	Hold          bool         `json:"hold,omitempty"`    // no pool takes it
	Policy        string       `json:"policy,omitempty"`  // of confinement, "" for none
	Codex         string       `json:"codex"`             // the real codex, "" if it was not found
	Native        string       `json:"native,omitempty"`  // the program that runs in its place: see docs/decisions/0010-native-launch.md
	OutrankedBy   []string     `json:"outranked_by"`      // variables with credentials that codex prefers to the account's
	Sandbox       string       `json:"sandbox,omitempty"` // the sandbox home
	Login         *login.Login `json:"login,omitempty"`   // of an account that exists
	Root          string       `json:"root,omitempty"`    // swop's, "" in a confined session
	NoCodex       error        `json:"-"`                 // why Codex is ""
	elsewhere     []string     // sentences about other roots
	noted         bool         // an earlier start found the real codex
	missing       string       // what to do about an account that does not exist
}

func which(s verb.Setup) (WhichAnswer, error) {
	if in, err := confine.ReadInside(); err == nil {
		return whichInside(s, in), nil
	}
	choice, err := s.Here()
	if err != nil {
		return WhichAnswer{}, err
	}
	return Explain(s, choice)
}

// label returns only the label, "" for no account. Each prompt asks for it: no codex is looked for, and no login is read.
func label(call *verb.Call) (string, error) {
	if in, err := confine.ReadInside(); err == nil {
		return in.Label, nil
	}
	s, err := call.Look()
	if err != nil {
		return "", err
	}
	choice, err := s.Here()
	if err != nil || choice.Label == "" {
		return "", err
	}
	acct, err := s.Store.Find(choice.Label)
	if errors.Is(err, account.ErrNoAccount) {
		return choice.Label, nil
	}
	return acct.Meta.Label, err
}

// Explain describes a choice: the account, its login and policy, and the real codex.
func Explain(s verb.Setup, choice shim.Choice) (WhichAnswer, error) {
	w := WhichAnswer{SchemaVersion: 1, Label: choice.Label, Why: choice.Why, Path: choice.Path, Root: s.Places.Root}
	w.elsewhere = s.ElsewhereTexts()
	w.OutrankedBy = append([]string{}, s.Env.Credentials()...)
	w.Pool, w.PoolReason = choice.Pool, choice.Picked.Reason
	real, err := s.Codex()
	if w.NoCodex = err; err == nil {
		w.Codex, w.Native, w.noted = real.Path, native(s, real), real.Noted
	}
	if choice.Label == "" {
		return w, nil
	}
	return w, w.describe(s, choice)
}

// native returns the program that a call here runs in place of the real codex, "" if it runs the real codex itself.
func native(s verb.Setup, real shim.Program) string {
	if s.Environ.Value("SWOP_BYPASS") == "1" {
		return ""
	}
	if l, _ := real.Launch(&s.Places, []string{"codex"}, s.Env, s.Settings.Launch); l.Path != real.Path {
		return l.Path
	}
	return ""
}

func (w *WhichAnswer) describe(s verb.Setup, choice shim.Choice) (err error) {
	if w.Key, err = config.Key(w.Label); err != nil {
		return err
	}
	if w.Policy, err = s.PolicyOf(w.Label); err != nil {
		return err
	}
	acct, err := s.Store.Find(w.Label)
	if errors.Is(err, account.ErrNoAccount) {
		w.missing = strings.Join(say.Hints(err), "; ")
		return nil
	}
	if err == nil {
		all := []account.Account{acct}
		if login.IdentityOf(acct) != (login.Identity{}) { // to be told apart from another login of its address
			all, _ = s.Store.Accounts() // without accounts that cannot be read
		}
		w.Label, w.Exists, w.Sandbox, w.Login = acct.Meta.Label, true, acct.Home(), new(s.Logins(all)[acct.Key])
		w.Hold = s.Settings.Accounts[acct.Key].Hold
	}
	return err
}

func showWhich(call *verb.Call, w WhichAnswer) error {
	text := []string{w.Sentence()}
	if w.Label != "" && (w.Login != nil || !w.Exists) {
		text = append(text, w.aboutLogin())
	}
	if w.Login != nil && w.Login.Changed {
		text = append(text, "it is another login than at its last start")
	}
	text = append(text, w.elsewhere...)
	if w.Hold {
		text = append(text, "it is on hold: no pool takes it, nor does next")
	}
	for _, name := range w.OutrankedBy {
		text = append(text, name+" is set: codex prefers it to any login")
	}
	if w.NoCodex != nil {
		text = append(text, strings.Join(append([]string{w.NoCodex.Error()}, say.Hints(w.NoCodex)...), "; "))
	} else {
		text = append(text, "the real codex is "+w.Codex+w.aboutCodex())
	}
	return call.Show(call.Sentences(text...))
}

// aboutCodex returns how the real codex was found, or is started, as the end of a sentence.
func (w WhichAnswer) aboutCodex() string {
	switch {
	case w.noted:
		return " (not on PATH here; an earlier start found it)"
	case w.Native != "":
		return " (run directly, without npm's launcher)"
	}
	return ""
}

// Sentence returns the account that codex runs as here, and why, as a sentence.
func (w WhichAnswer) Sentence() string {
	if w.Label == "" {
		return "codex runs without an account here, because " + w.because()
	}
	return fmt.Sprintf("codex runs as %q here%s, because %s", w.Label, confinedBy(w.Policy), w.because())
}

func (w WhichAnswer) aboutLogin() string {
	switch {
	case !w.Exists:
		return "it does not exist yet: " + w.missing
	case w.Login.Mode == "none":
		return "it has no login yet: codex swop login " + say.ShellQuote(w.Label)
	case w.Login.Mode == "unreadable":
		return "its auth.json holds no login that codex can read: codex swop login " + say.ShellQuote(w.Label)
	}
	return "its login: " + w.Login.Text()
}

func (w WhichAnswer) because() string {
	why := verb.Because(shim.Choice{Why: w.Why, Path: w.Path, Pool: w.Pool})
	if w.Pool != "" {
		why += ", and " + poolReason(w.PoolReason)
	}
	return why
}

// poolReason returns the reason for people.
func poolReason(r pool.Reason) string {
	switch r {
	case pool.Stays:
		return "it was the last one in this directory and is not at its limit"
	case pool.First:
		return "it is the first that has room"
	case pool.LeastUsed:
		return "of those with room it is used least"
	case pool.NextReset:
		return "of those with room its longest window resets first"
	case pool.NotRead:
		return "no account is known to have room, and it is the first one whose limits are not known"
	}
	return "all are at their limit; this one resets first"
}
