package codexsandbox

import (
	"fmt"
)

// RequestError says what is wrong with a request for any release. Nothing was run.
type RequestError struct{ Reason string }

func (e *RequestError) Error() string { return e.Reason }

func refuse(format string, args ...any) error { return &RequestError{fmt.Sprintf(format, args...)} }

// UnsupportedError says that this release of codex cannot do what was asked. Nothing was run.
type UnsupportedError struct {
	Release Release
	Feature string // "a sandbox for windows"
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("codex %s does not support %s", e.Release, e.Feature)
}
