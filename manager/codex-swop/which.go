//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"swop/account"
	"swop/account/login"
	"swop/config"
	"swop/confine"
	"swop/limits/pool"
	limits "swop/limits/usage"
	"swop/manager/terminal"
	"swop/say"
	"swop/session"
	"swop/shim"
)

func whichCommand(a *app) *cobra.Command {
	var short, asJSON bool
	cmd := &cobra.Command{
		Use:   "which",
		Short: "Show which account codex would run as here, and why",
		Long: "Show which account codex would run as here, and why, and which program is the real codex; where it comes from a pool, also what is known of\n" +
			"each account there. Nothing is changed.\n\n" +
			"With --short, for a shell prompt, it prints only the label, and an empty line for no account.",
		Example: example("codex swop which", `PS1='[$(codex swop which --short)] '$PS1`, "codex swop which --json"),
		Args:    takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := exclusive(cmd, "short", "json"); err != nil {
				return err
			}
			if short {
				label, err := a.label()
				if err != nil {
					return err
				}
				return line(a.Stdout, label)
			}
			w, err := a.which()
			switch {
			case err != nil:
				return err
			case asJSON:
				return writeJSON(a.Stdout, w)
			}
			return a.showWhich(w)
		},
	}
	cmd.Flags().BoolVar(&short, "short", false, "print only the label")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// whichAnswer is the answer of the verb, as --json prints it.
type whichAnswer struct {
	SchemaVersion int          `json:"schema_version"`
	Label         string       `json:"label"`          // "" for none
	Key           string       `json:"key"`            // "" for none
	Exists        bool         `json:"exists"`         // the account has a sandbox
	Why           shim.Why     `json:"why"`            // what decided
	Path          string       `json:"path,omitempty"` // the bound directory
	Pool          string       `json:"pool,omitempty"` // that the account is taken from
	PoolReason    pool.Reason  `json:"pool_reason,omitempty"`
	Policy        string       `json:"policy,omitempty"`  // of confinement, "" for none
	Grants        int          `json:"grants,omitempty"`  // that confined sessions of the account have beside it
	Codex         string       `json:"codex"`             // the real codex, "" if it was not found
	Native        string       `json:"native,omitempty"`  // what is run in its place: see docs/decisions/0010
	OutrankedBy   []string     `json:"outranked_by"`      // variables with credentials that codex prefers to the account's
	Sandbox       string       `json:"sandbox,omitempty"` // the sandbox home
	Login         *login.Login `json:"login,omitempty"`   // of an account that exists

	*poolAnswer // nil without a pool

	meant string // the hint of one that does not, where its label is most likely a slip
}

func (a *app) which() (whichAnswer, error) {
	if w, inside, err := whichInside(a); inside {
		return w, err
	}
	s, err := a.look()
	if err != nil {
		return whichAnswer{}, err
	}
	choice, err := a.choose(s)
	if err != nil {
		return whichAnswer{}, err
	}
	w, err := a.explain(s, choice)
	if err == nil {
		w.poolAnswer, err = a.describePool(s, choice)
	}
	return w, err
}

// label returns only the label, "" for no account. Each prompt asks for it: it looks for no codex and reads no login.
func (a *app) label() (string, error) {
	if in, err := confine.ReadInside(); err == nil {
		return in.Label, nil
	}
	s, err := a.look()
	if err != nil {
		return "", err
	}
	choice, err := a.choose(s)
	if err != nil || choice.Label == "" {
		return "", err
	}
	key, err := config.Key(choice.Label)
	if err != nil {
		return "", err
	}
	acct, err := s.store.Account(key)
	if errors.Is(err, account.ErrNoAccount) {
		return choice.Label, nil
	}
	return acct.Meta.Label, err
}

// explain returns all that is known about a choice.
func (a *app) explain(s setup, choice shim.Choice) (whichAnswer, error) {
	w := whichAnswer{SchemaVersion: 1, OutrankedBy: login.OutrankedBy(s.Env), Label: choice.Label, Why: choice.Why, Path: choice.Path}
	w.Pool, w.PoolReason = choice.Pool, choice.Picked.Reason
	if real, err := a.codex(s); err == nil {
		w.Codex, w.Native = real.Path, a.native(s, real)
	}
	if choice.Label == "" {
		return w, nil
	}
	return w, w.describe(s, choice)
}

// native returns the program that a call here runs in place of the real codex, "" if it runs that.
func (a *app) native(s setup, real shim.Program) string {
	if a.env.Value("SWOP_BYPASS") == "1" {
		return ""
	}
	return real.Native(s.Env, s.settings)
}

// choose returns the account that codex would run as, and of a pool the one that it would take.
func (a *app) choose(s setup) (shim.Choice, error) {
	choice, err := a.chooseOrPool(s)
	if err != nil || choice.Pool == "" {
		return choice, err
	}
	if p, ok := s.settings.Pool(choice.Pool); ok { // for a prompt, which asks each time
		if d, ok := pool.Fast(s.store.Layout, p, shim.PoolDir(), account.At(a.now())); ok {
			acct, err := s.store.Account(d.Key)
			choice.Label, choice.Picked = acct.Meta.Label, d
			return choice, err
		}
	}
	all, err := limits.Survey(s.store, s.SharedHome(), a.now())
	if err != nil {
		return choice, err
	}
	if choice.Picked, err = all.Pick(s.settings, choice.Pool, shim.PoolDir()); err != nil {
		return choice, all.WayBack(err, choice)
	}
	choice.Label = all.Find(choice.Picked.Key).Meta.Label
	return choice, nil
}

// chooseOrPool returns the account that codex would run as, or the pool that it would take one from.
func (a *app) chooseOrPool(s setup) (shim.Choice, error) {
	if a.env.Value("SWOP_BYPASS") == "1" {
		return shim.Choice{Why: shim.ByBypass}, nil
	}
	return s.Choose(session.ReadSelector)
}

func (w *whichAnswer) describe(s setup, choice shim.Choice) (err error) {
	if w.Key, err = config.Key(w.Label); err != nil {
		return err
	}
	if w.Policy, err = s.Policy(choice.Confine, &s.settings, w.Key); err != nil {
		return err
	}
	if w.Policy != "" {
		w.Grants = len(grantsTo(s.Places.Root, w.Key))
	}
	acct, err := s.store.Account(w.Key)
	if errors.Is(err, account.ErrNoAccount) {
		if slip := s.store.Slip(w.Label, w.Key); slip != nil {
			w.meant = say.Hints(slip)[0]
		}
		return nil
	}
	if err == nil {
		login := login.Of(acct, s.Root.SharedHome.Path)
		w.Label, w.Exists, w.Sandbox, w.Login = acct.Meta.Label, true, acct.Home(), &login
	}
	return err
}

// showWhich prints the answer for people.
func (a *app) showWhich(w whichAnswer) error {
	text := []string{w.sentence()}
	if w.Label != "" && (w.Login != nil || !w.Exists) {
		text = append(text, w.aboutLogin())
	}
	for _, name := range w.OutrankedBy {
		text = append(text, name+" is set: codex prefers it to any login")
	}
	if w.Codex == "" {
		text = append(text, "the real codex was not found: npm install -g @openai/codex")
	} else {
		text = append(text, "the real codex is "+w.Codex+w.aboutLaunch())
	}
	var lines []string
	for _, sentence := range text {
		lines = append(lines, terminal.Fold(say.Printable(sentence), a.Width(), 0)...)
	}
	if w.poolAnswer != nil {
		lines = append(lines, w.poolAnswer.lines(a, w.Key)...)
	}
	return a.Show(lines)
}

// sentence says what codex runs as here, and why.
func (w whichAnswer) sentence() string {
	if w.Label == "" {
		return "codex runs without an account here, because " + w.because()
	}
	return fmt.Sprintf("codex runs as %q here%s%s, because %s", w.Label, confinedBy(w.Policy), w.aboutGrants(), w.because())
}

func (w whichAnswer) aboutGrants() string {
	switch w.Grants {
	case 0:
		return ""
	case 1:
		return ", with 1 grant"
	}
	return fmt.Sprintf(", with %d grants", w.Grants)
}

// aboutLaunch says how the real codex is run, if not as installed.
func (w whichAnswer) aboutLaunch() string {
	if w.Native == "" {
		return ""
	}
	return " (run directly, without npm's launcher)"
}

func (w whichAnswer) aboutLogin() string {
	switch {
	case w.meant != "":
		return "it does not exist; " + w.meant
	case !w.Exists:
		return "it does not exist yet: codex swop add " + say.ShellQuote(w.Label)
	case w.Login.Mode == "none":
		return "it has no login yet: codex swop login " + say.ShellQuote(w.Label)
	case w.Login.Mode == "unreadable":
		return "its auth.json is no login of codex: codex swop login " + say.ShellQuote(w.Label)
	case w.Login.Mode == "other":
		return "its login is of a kind that swop does not know"
	case w.Login.Mode == "api-key":
		return "its login is an API key"
	case w.Login.Mode == "keyring":
		return "its login is in the system's keyring, where codex looks for it"
	}
	return "its login is " + w.Login.Text()
}

func (w whichAnswer) because() string {
	if w.Pool != "" {
		return w.becauseOfPool()
	}
	return because(w.Why, w.Path)
}

// because says what chose an account, or none.
func because(why shim.Why, path string) string {
	switch why {
	case shim.ByBypass:
		return "SWOP_BYPASS is 1"
	case shim.ByOwnHome:
		return "CODEX_HOME names a home of your own"
	case shim.ByVariable:
		return "SWOP_ACCOUNT names it"
	case shim.BySession:
		return "this is one of its sessions"
	case shim.ByBinding:
		return say.Name(path) + " is bound to it"
	case shim.BySelector:
		return "it is the active account"
	}
	return "none is active"
}

// becauseOfPool says what chose the pool, and why the account is the one that is taken from it.
func (w whichAnswer) becauseOfPool() string {
	chosen := fmt.Sprintf("the pool %q is active", w.Pool)
	switch w.Why {
	case shim.ByVariable:
		chosen = fmt.Sprintf("SWOP_ACCOUNT names the pool %q", w.Pool)
	case shim.ByBinding:
		chosen = fmt.Sprintf("%s is bound to the pool %q", say.Name(w.Path), w.Pool)
	}
	return chosen + ", and " + poolReason(w.PoolReason)
}

// poolReason says why an account is taken from a pool.
func poolReason(r pool.Reason) string {
	switch r {
	case pool.Stays:
		return "it was the last one in this directory and is not at its limit"
	case pool.First:
		return "it is the first that has room"
	case pool.LeastUsed:
		return "of those with room it is used least"
	case pool.NotRead:
		return "none is known to have room and it is the first whose limits were not read"
	}
	return "none has room and it has room again first"
}

// line prints text for people.
func line(out io.Writer, text string) error {
	_, err := fmt.Fprintln(out, say.Printable(text))
	return err
}

// writeJSON prints v for programs: indented, without HTML's escapes, and with escapes for what a terminal could act on. encoding/json escapes
// only below U+0020, but a terminal also takes U+009B for the beginning of a command.
func writeJSON(out io.Writer, v any) error {
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	var b []byte
	for _, r := range text.String() {
		if unicode.IsPrint(r) || r == '\n' {
			b = utf8.AppendRune(b, r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) { // outside of strings all is printable
			b = fmt.Appendf(b, `\u%04x`, unit)
		}
	}
	_, err := out.Write(b)
	return err
}
