package process

import (
	"time"
)

// Started returns when the process was started. Not run yet on macOS.
func (p Process) Started(time.Time) (time.Time, error) { return time.UnixMicro(int64(p.Start)), nil }
