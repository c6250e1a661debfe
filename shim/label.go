package shim

import (
	"io"
	"slices"

	"swop/config"
	"swop/internal/account"
)

// printLabel answers "codex swop which --short", which shell prompts run each time, and reports whether it did. Where the fast path knows
// no answer, codex-swop gives it, in several times the time.
func (c *Call) printLabel() bool {
	if !slices.Equal(c.Args[2:], []string{"which", "--short"}) {
		return false
	}
	label, ok := c.fastLabel(&fast)
	if !ok {
		return false
	}
	_, err := io.WriteString(c.Stdout, label+"\n")
	return err == nil
}

// fastLabel returns the label of the account that codex would run as here, "" for none. It reports false where it does not know.
func (c *Call) fastLabel(r *fastReader) (string, bool) {
	var i Invocation
	var s config.Settings
	if c.Env.Value("SWOP_BYPASS") == "1" || r.Look(c.Env, &i) != nil || i.Owned() != nil || r.Settings(&i.Places, &s) != nil {
		return "", false
	}
	choice, err := i.Choose(r.Selector)
	if err != nil || choice.Pool != "" {
		return "", false
	}
	if choice.Label == "" {
		return "", true
	}
	layout, err := account.Open(i.Places)
	if err != nil {
		return "", false
	}
	key, err := config.Key(choice.Label)
	if err != nil {
		return "", false
	}
	var a account.Account
	ok := layout.FastAccount(key, &a)
	return a.Meta.Label, ok
}
