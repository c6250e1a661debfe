package install

import (
	"errors"
)

// The kinds of refusal that a caller tells apart. Nothing was changed when one is returned.
var (
	ErrUsage  = errors.New("bad argument")       // an option that cannot be used
	ErrUnsafe = errors.New("refused for safety") // something of the user's would be overwritten, or was not agreed to
)

// kindOf is an error of a kind, whose text does not repeat the kind.
type kindOf struct {
	error
	kind error
}

func (e kindOf) Is(target error) bool { return target == e.kind }

func (e kindOf) Unwrap() error { return e.error }
