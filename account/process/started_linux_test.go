package process

import (
	"os"
	"testing"
	"time"

	"swop/internal/testhome"
)

func TestStarted(t *testing.T) {
	before := time.Now()
	list, err := readProcesses()
	testhome.NoError(t, err)
	for _, p := range list {
		if p.PID != os.Getpid() {
			continue
		}
		got, err := p.Started(time.Now())
		if err != nil || got.After(time.Now()) || before.Sub(got) > 10*time.Minute {
			t.Errorf("Started() = %v, %v, want a moment before %v", got, err, before)
		}
		return
	}
	t.Error("this process is not listed")
}
