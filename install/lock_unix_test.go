//go:build unix

package install

import (
	"strings"
	"testing"

	"swop/internal/testhome"
)

// An install or uninstall waits for one that is at work, and says so.
func TestOneAtATime(t *testing.T) {
	h := newHome(t, "bash")
	h.install(t)
	for name, do := range map[string]func(Options) (Report, error){"Install": Install, "Uninstall": Uninstall} {
		s, err := begin(h.o)
		testhome.NoError(t, err)
		unlock := s.lock()
		said := make(spoken, 1)
		h.o.Progress = said
		done := make(chan error, 1)
		go func() {
			_, err := do(h.o)
			done <- err
		}()
		if text := <-said; !strings.Contains(text, h.bin()) {
			t.Errorf("%s while another is at work says %q, want the directory", name, text)
		}
		if len(done) > 0 {
			t.Errorf("%s does not wait", name)
		}
		unlock()
		testhome.NoError(t, <-done)
		h.o.Progress = nil
		h.install(t)
	}
	h.uninstall(t)
}

// spoken passes on what is written to it.
type spoken chan string

func (s spoken) Write(p []byte) (int, error) {
	s <- string(p)
	return len(p), nil
}
