package proxy

import (
	"os"
	"os/exec"
	"testing"

	"swop/internal/test/testhome"
)

func TestMain(m *testing.M) {
	os.Exit(testhome.Suite{Tests: m, Programs: []string{"userns"}}.Run())
}

// TestProxyOwnSecond: the second address of a network is this machine's, too, though the way there begins at the first.
func TestProxyOwnSecond(t *testing.T) {
	testhome.Needs(t, "userns")
	const two = "ip link set lo up && ip address add 192.0.2.1/24 dev lo && ip address add 192.0.2.2/24 dev lo && "
	cmd := exec.Command("unshare", "-rn", "sh", "-c", two+`exec "$0" -test.run=^TestProxyOwn$`, os.Args[0])
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
