//go:build !unix

package process

import (
	"os"
)

func (l *lockProbe) try(*os.File) error {
	l.unsupported = true
	return nil
}
