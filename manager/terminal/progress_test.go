//go:build unix

package terminal

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Nothing is said of what is done within a second; of what takes longer, one line; by the clock of the test.
func TestProgress(t *testing.T) {
	for takes, want := range map[time.Duration]string{
		0: "", progressAfter - 1: "", progressAfter + 1: "swop: preparing, which takes a moment\n", time.Hour: "swop: preparing, which takes a moment\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			var out strings.Builder
			end := progress(&out, "preparing")
			time.Sleep(takes)
			end()
			time.Sleep(time.Minute)
			synctest.Wait()
			if out.String() != want {
				t.Errorf("what takes %v says %q, want %q", takes, out.String(), want)
			}
		})
	}
}
