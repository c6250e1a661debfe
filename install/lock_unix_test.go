//go:build unix

package install

import (
	"strings"
	"testing"
)

func TestOneAtATime(t *testing.T) {
	h := newHome(t, "bash")
	h.install(t)
	unlock, err := lock(h.bin())
	if err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func(Options) (Report, error){"Install": Install, "Uninstall": Uninstall} {
		if _, err := do(h.o); err == nil || !strings.Contains(err.Error(), h.bin()) {
			t.Errorf("%s while another is at work = %v, want an error with the directory", name, err)
		}
	}
	unlock()
	h.uninstall(t)
}
