package usage

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"swop/internal/account"
	"swop/internal/account/rpc"
)

// Question says who asks which codex, and as whom.
type Question struct {
	Talk rpc.Talker
	At   time.Time
}

// Databases is where the codex that is asked keeps its databases: in the sandbox, with which they go.
func Databases(acct account.Account) string { return filepath.Join(acct.Dir, "usage-db") }

// Ask returns what the real codex says of the account's limits, or a [Problem]. ctx bounds how long it may take. Nothing of the process
// is left when it returns.
func Ask(ctx context.Context, q Question) (Reading, error) {
	var result []byte
	err := q.Talk(ctx, func(c *rpc.Conversation) (err error) {
		result, err = c.Call("account/rateLimits/read", nil)
		return err
	})
	refused, isAnswer := errors.AsType[*rpc.Error](err)
	switch {
	case isAnswer:
		return Reading{}, problemOf(refused)
	case errors.Is(err, rpc.ErrEnded):
		return Reading{}, Unsupported
	case errors.Is(err, rpc.ErrUnreadable):
		return Reading{}, Unreadable
	case ctx.Err() != nil:
		return Reading{}, Timeout
	case err != nil:
		return Reading{}, err
	}
	return parseReading(result, q.At)
}

// The codes that codex uses (0.47 to 0.169).
const (
	invalidRequest = -32600 // no login, an API key, or a method that it does not know
	methodNotFound = -32601
)

// problemOf returns the problem that an error of codex is.
func problemOf(e *rpc.Error) Problem {
	text, _, _ := strings.Cut(strings.ToLower(e.Message), "body=") // what the server wrote itself decides nothing
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
	case has("failed: 401", "sign in again", "log in again"): // the second where a token cannot be renewed; a failure on the way there says neither
		return Refused
	case has("error sending request", "connect", "dns", "timed out", "connection", "network"):
		return Offline
	}
	return Failed
}
