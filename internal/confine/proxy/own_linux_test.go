package proxy

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"swop/internal/test/testhome"
)

func TestMain(m *testing.M) {
	os.Exit(testhome.Suite{Tests: m, Programs: []string{"userns"}}.Run())
}

// TestProxyOwn: a name that is allowed, and leads to an address of this machine, is refused, and nothing visits what listens there. The
// list can name the address.
func TestProxyOwn(t *testing.T) {
	l, err := net.Listen("tcp", ":0")
	testhome.NoError(t, err)
	var visits atomic.Int32
	server := &http.Server{Handler: http.NotFoundHandler(), ConnState: func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			visits.Add(1)
		}
	}}
	defer server.Close()
	go func() { _ = server.Serve(l) }()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	own := append(ownAddresses(t), "127.0.0.1", "127.3.2.1", "::1", "0.0.0.0", "::", "::ffff:127.0.0.1", "169.254.169.254", "fe80::1",
		"224.0.0.1")
	for _, of := range own {
		p := proxyFor(t, []string{of}, "own.example", "*.deep.example")
		for _, name := range []string{"own.example", "a.deep.example"} {
			status, text := p.get(t, "http://"+net.JoinHostPort(name, port), "")
			if status != 403 || !strings.Contains(text, "leads to this machine") || len(p.blocked) == 0 {
				t.Errorf("%s at %s: %d %q, want 403", name, of, status, text)
			}
		}
	}
	if n := visits.Load(); n > 0 {
		t.Errorf("there were %d visits, want none", n)
	}
	p := proxyFor(t, []string{"127.0.0.1"}, "127.0.0.1", "own.example")
	if status, _ := p.get(t, "http://127.0.0.1:"+port, ""); status != 404 || visits.Load() != 1 {
		t.Errorf("an address in the list: %d, %d visits, want 404, 1", status, visits.Load())
	}
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

func ownAddresses(t *testing.T) (list []string) {
	t.Helper()
	all, err := net.InterfaceAddrs()
	testhome.NoError(t, err)
	for _, a := range all {
		if of, ok := a.(*net.IPNet); ok {
			list = append(list, of.IP.String())
			if of.IP.To4() != nil {
				list = append(list, "64:ff9b::"+of.IP.String()) // by NAT64
			}
		}
	}
	return list
}
