package wine

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The tables of what Wine does not have, as programs for Windows: the data of a junction, and what is one.
func TestTables(t *testing.T) {
	u := windows(t)
	ctx, cancel := context.WithTimeout(context.Background(), ages)
	defer cancel()
	build := exec.CommandContext(ctx, "go", "test", "-c", "-o", filepath.Join(drive(u.dir), "sys.test.exe"), "./internal/disk/sys")
	build.Dir = "../../.."
	build.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go test -c: %v\n%s", err, out)
	}
	cmd := u.cmd(ctx, nil, at("sys.test.exe"), "-test.v")
	out, err := cmd.Output()
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		t.Errorf("the tests: %v", err)
	}
	for _, name := range []string{"TestJunctionData", "TestJunctionOf"} {
		if !strings.Contains(string(out), "--- PASS: "+name) {
			t.Errorf("%s did not pass\n%s", name, out)
		}
	}
}
