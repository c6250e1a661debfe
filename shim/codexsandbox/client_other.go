//go:build !unix

package codexsandbox

import (
	"context"
	"errors"

	"swop/say"
)

// releases is empty: no codex is asked here.
type releases struct{}

// Run fails: with a [*RequestError] if the request is wrong, else because native Windows is not supported yet.
func (c *Client) Run(_ context.Context, r Request) (Run, error) {
	if err := r.check(); err != nil {
		return Run{}, err
	}
	err := errors.New("swop does not run codex on native Windows yet")
	return Run{}, say.WithHint(err, "use it inside WSL")
}
