package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"os"

	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/account/rpc"
	"swop/internal/session"
	"swop/shim"
)

// checkWhose asks the real codex whose login it uses here, and warns where that is not the account's: a variable may outrank it. Sessions
// of a confined or bridged account have another environment, and are not asked.
func checkWhose(x *exam) {
	acct, err := x.Store.Find(x.choice.Label)
	if err != nil || x.choiceErr != nil || acct.Meta.Confine != "" || x.Settings.HasBridge(acct.Key) {
		return
	}
	own := login.Of(acct)
	allowed := login.CheckConfig(acct, account.CodexCall{Dir: "/", Shared: x.SharedHome()})
	if own.Mode != "chatgpt" && own.Mode != "api-key" || allowed != nil {
		return // codex removes a login that its configuration does not allow
	}
	if used, ok := x.askWhose(acct); ok && !used.is(own) {
		hint := "env | grep -oE '^(CODEX|OPENAI|SPIFFE)_[A-Z_]+'"
		x.warn(hint, "codex uses another login here than that of %q: %s", acct.Meta.Label, cmp.Or(used.Email, used.Type, "none"))
	}
}

// usedLogin is the login that codex says it uses.
type usedLogin struct{ Type, Email string }

func (u usedLogin) is(own login.Login) bool {
	if u.Type == "apiKey" {
		return own.Mode == "api-key"
	}
	return u.Type == own.Mode && (u.Email == own.Email || u.Email == "" || own.Email == "")
}

// askWhose asks codex in the account's environment. It reports false where codex does not answer, as offline.
func (x *exam) askWhose(acct account.Account) (used usedLogin, ok bool) {
	codex, err := x.Codex()
	if err != nil {
		return used, false
	}
	databases, err := os.MkdirTemp("", "swop-doctor-")
	if err != nil {
		return used, false
	}
	defer os.RemoveAll(databases)                                      //nolint:errcheck // nobody needs it
	l, err := account.Layout{Places: x.Places}.LockSharedNow(acct.Key) // so that no one renames the account
	if err != nil {
		return used, false
	}
	defer l.Release()
	prepared := shim.Prepared{Account: acct, Root: x.Root, Settings: x.Settings}
	whose := session.Question(x.Invocation, prepared, codex, databases)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var answer struct {
		Account            usedLogin
		RequiresOpenaiAuth bool // false where config.toml names a provider that uses no login
	}
	err = whose.Talk(ctx, func(c *rpc.Conversation) error {
		result, err := c.Call("account/read", json.RawMessage("{}"))
		if err == nil {
			err = json.Unmarshal(result, &answer)
		}
		return err
	})
	return answer.Account, err == nil && (answer.Account != usedLogin{} || answer.RequiresOpenaiAuth)
}
