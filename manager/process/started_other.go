//go:build !linux && !darwin

package process

import (
	"errors"
	"time"
)

// Started fails with errors.ErrUnsupported.
func (p Process) Started(time.Time) (time.Time, error) { return time.Time{}, errors.ErrUnsupported }
