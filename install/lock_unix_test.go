//go:build unix

package install

import (
	"strings"
	"sync"
	"testing"

	"swop/internal/testhome"
)

func TestOneAtATime(t *testing.T) {
	t.Parallel() // it waits for the lock
	h := newHome(t, "bash")
	h.install(t)
	unlock, err := lock(h.bin())
	testhome.NoError(t, err)
	var both sync.WaitGroup
	for name, do := range map[string]func(Options) (Report, error){"Install": Install, "Uninstall": Uninstall} {
		both.Go(func() {
			if _, err := do(h.o); err == nil || !strings.Contains(err.Error(), h.bin()) {
				t.Errorf("%s while another is at work = %v, want an error with the directory", name, err)
			}
		})
	}
	both.Wait()
	unlock()
	h.uninstall(t)
}
