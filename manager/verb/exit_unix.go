//go:build unix

package verb

import (
	"errors"

	"swop/bridge"
)

func refusedByBridge(err error) bool { return errors.Is(err, bridge.ErrRefused) }
