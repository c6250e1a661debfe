//go:build !unix

package codexsandbox

import (
	"context"
	"errors"

	"swop/say"
)

// releases are the releases of the codexes that were asked so far.
type releases struct{}

// Run refuses what is wrong with the request, then says that native Windows is not supported yet.
func (c *Client) Run(_ context.Context, r Request) (Run, error) {
	if err := r.check(); err != nil {
		return Run{}, err
	}
	err := errors.New("swop does not run codex on native Windows yet")
	return Run{}, say.WithHint(err, "use it inside WSL")
}
