//go:build !linux && !darwin

package process

import (
	"context"
	"errors"
	"fmt"
)

// EndTree fails with an error that wraps errors.ErrUnsupported.
func EndTree(context.Context, int) error {
	return fmt.Errorf("ending a process and its descendants: %w on this system", errors.ErrUnsupported)
}
