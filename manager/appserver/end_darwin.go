package appserver

import (
	"context"

	"swop/manager/process"
)

// end asks the servers to stop, whatever they do, and fails if one does not. It sends no signals: nothing of that was proven on a Mac.
func (o StopOptions) end(ctx context.Context, servers []process.Process, _ activity) error {
	return o.askOnly(ctx, servers)
}
