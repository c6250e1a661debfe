package usage

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"swop/internal/account"
	"swop/internal/account/rpc"
)

// Databases returns the directory for the databases of a codex that is asked: in the account's sandbox, with which they are removed.
func Databases(acct account.Account) string { return filepath.Join(acct.Dir, "usage-db") }

// Ask asks a codex that runs as the account for the account's limits, at the time now. The error is a [Problem], or that of a codex that
// could not be started. ctx bounds the time.
func Ask(ctx context.Context, codex rpc.Talker, now time.Time) (Reading, error) {
	var r Reading
	err := codex(ctx, func(c *rpc.Conversation) error {
		result, err := c.Call("account/rateLimits/read", nil)
		if err == nil {
			r, err = parseReading(result, now)
		}
		if err == nil && !personalPlans[r.Plan] {
			r.Workspace = workspaceOf(c)
		}
		return err
	})
	refused, isAnswer := errors.AsType[*rpc.Error](err)
	switch {
	case r.Windows != nil: // a workspace without a name changes nothing
		return r, nil
	case isAnswer:
		return Reading{}, problemOf(refused)
	case errors.Is(err, rpc.ErrEnded):
		return Reading{}, Unsupported
	case errors.Is(err, rpc.ErrUnreadable):
		return Reading{}, Unreadable
	case errors.Is(err, rpc.ErrExpired):
		return Reading{}, Expired
	case ctx.Err() != nil:
		return Reading{}, Timeout
	}
	return Reading{}, err
}

// personalPlans are the plans of one person, without a workspace.
var personalPlans = map[string]bool{"": true, "free": true, "go": true, "plus": true, "pro": true}

// workspaceOf returns the name of the login's workspace, which codex 0.171 knows; "" from an older one.
func workspaceOf(c *rpc.Conversation) string {
	var answer struct {
		Account struct{ WorkspaceName string }
	}
	if result, err := c.Call("account/read", json.RawMessage("{}")); err == nil {
		_ = json.Unmarshal(result, &answer) // another form names no workspace
	}
	return printable(answer.Account.WorkspaceName)
}

// Codex's error codes (0.47 to 0.169).
const (
	invalidRequest = -32600 // no login, an API key, or a method that it does not know
	methodNotFound = -32601
)

// problemOf returns the problem for an error of codex.
func problemOf(e *rpc.Error) Problem {
	text, _, _ := strings.Cut(strings.ToLower(e.Message), "body=") // the server's own text decides nothing
	has := func(words ...string) bool {
		for _, word := range words {
			if strings.Contains(text, word) {
				return true
			}
		}
		return false
	}
	switch {
	case e.Code == invalidRequest && has("chatgpt authentication required"):
		return APIKey
	case e.Code == invalidRequest && has("authentication required"):
		return LoggedOut
	case e.Code == invalidRequest, e.Code == methodNotFound:
		return Unsupported
	case has("failed: 401", "sign in again", "log in again"): // "sign in again" where a token cannot be renewed
		return Refused
	case has("error sending request", "connect", "dns", "timed out", "connection", "network"):
		return Offline
	}
	return Failed
}
