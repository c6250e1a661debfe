//go:build !linux && !darwin

package appserver

import (
	"context"
	"errors"
	"fmt"
)

// Stop fails with an error that wraps errors.ErrUnsupported: codex's daemon is not known on this system yet.
func Stop(context.Context, StopOptions) error {
	return fmt.Errorf("stopping codex's background server: %w on this system", errors.ErrUnsupported)
}
