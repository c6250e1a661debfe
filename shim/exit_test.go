package shim

import (
	"errors"
	"fmt"
	"testing"

	"swop/say"
)

func TestStatus(t *testing.T) {
	cannot := &cannotRun{errors.New("x")}
	for _, tt := range []struct {
		err  error
		want int
	}{
		{errors.New("x"), 125},
		{cannot, 126},
		{say.WithHint(fmt.Errorf("y: %w", cannot), "z"), 126},
		{ErrNoCodex, 127},
		{say.WithHint(fmt.Errorf("y: %w", ErrNoCodex), "z"), 127},
	} {
		if got := status(tt.err); got != tt.want {
			t.Errorf("status(%v) = %d, want %d", tt.err, got, tt.want)
		}
	}
}
