//go:build !linux && !darwin

package process

import (
	"errors"
	"time"
)

// Started is not known here.
func (p Process) Started(time.Time) (time.Time, error) { return time.Time{}, errors.ErrUnsupported }
