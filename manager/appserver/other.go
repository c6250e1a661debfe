//go:build !linux && !darwin

package appserver

import (
	"context"
	"errors"
	"fmt"
)

// StopServer fails with an error that wraps errors.ErrUnsupported: codex's daemon is not known on this system yet.
func StopServer(context.Context, ServerStop) error {
	return fmt.Errorf("stopping codex's background server: %w on this system", errors.ErrUnsupported)
}
