package proxy

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/testhome"
)

func TestProxyAllows(t *testing.T) {
	p := &Proxy{hosts: []string{"a.example", "b.example:443", "*.c.example", "[::1]:80", "127.0.0.1"}}
	for _, tt := range []struct {
		host, port     string
		allowed, named bool
	}{
		{"a.example", "443", true, false},
		{"a.example", "80", true, false},
		{"xa.example", "80", false, false},
		{"a.example.evil", "80", false, false},
		{"b.example", "443", true, false},
		{"b.example", "80", false, false},
		{"c.example", "80", false, false},
		{"x.c.example", "80", true, false},
		{"x.y.c.example", "80", true, false},
		{"xc.example", "80", false, false},
		{"::1", "80", true, true},
		{"::1", "81", false, false},
		{"127.0.0.1", "1", true, true},
		{"127.0.0.2", "1", false, false},
		{"", "80", false, false},
	} {
		if allowed, named := p.allows(tt.host, tt.port); allowed != tt.allowed || named != tt.named {
			t.Errorf("allows(%q, %q) = %t, %t, want %t, %t", tt.host, tt.port, allowed, named, tt.allowed, tt.named)
		}
	}
}

// proxyFor serves with the hosts, of which all names lead to upstream, and returns a client that goes through it.
func proxyFor(t *testing.T, upstream net.Addr, hosts ...string) (*http.Client, string) {
	t.Helper()
	socket := filepath.Join(t.TempDir(), Socket)
	l, err := net.Listen("unix", socket)
	testhome.NoError(t, err)
	p := New(l, hosts)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	p.dial = func(network, _ string) (net.Conn, error) { return net.Dial(network, upstream.String()) }
	proxy := &http.Transport{
		Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: Address}), DisableKeepAlives: true,
		DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", socket) },
	}
	return &http.Client{Transport: proxy}, socket
}

func TestProxy(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %d %q", r.Method, r.Host, len(body), r.Header.Get("Proxy-Authorization"))
	}))
	defer server.Close()
	client, _ := proxyFor(t, server.Listener.Addr(), "localhost", "own.example")
	for _, tt := range []struct {
		url, body, want string
		status          int
	}{
		{"http://localhost:7/x", "", `POST localhost:7 0 ""`, 200},
		{"http://localhost/x", strings.Repeat("x", 3<<20), `POST localhost 3145728 ""`, 200},
		{"http://other.example/x", "", "other.example:80 is not in the list", 403},
		{"http://own.example/x", "", "own.example:80 leads to this machine", 403},
	} {
		r, err := client.Post(tt.url, "", strings.NewReader(tt.body))
		testhome.NoError(t, err)
		text, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != tt.status || !strings.Contains(string(text), tt.want) {
			t.Errorf("%s: %d %q, %v, want %d %q", tt.url, r.StatusCode, text, err, tt.status, tt.want)
		}
	}
}

// from is a connection between two addresses.
type from struct {
	net.Conn
	local, remote string
}

func (c from) LocalAddr() net.Addr { return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.local)) }

func (c from) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.remote))
}

func TestIsOwn(t *testing.T) {
	for _, tt := range []struct {
		local, remote string
		want          bool
	}{
		{"198.51.100.7:40000", "203.0.113.5:443", false},
		{"[2001:db8::7]:40000", "[2001:db8::5]:443", false},
		{"198.51.100.7:40000", "198.51.100.7:443", true},
		{"[::ffff:198.51.100.7]:40000", "198.51.100.7:443", true},
		{"[2001:db8::7]:40000", "[2001:db8::7]:443", true},
		{"127.0.0.1:40000", "127.0.0.2:443", true},
		{"198.51.100.7:40000", "169.254.169.254:80", true},
		{"[fe80::1%eth0]:40000", "[fe80::2%eth0]:443", true},
	} {
		if got := isOwn(from{nil, tt.local, tt.remote}); got != tt.want {
			t.Errorf("from %s to %s: %t, want %t", tt.local, tt.remote, got, tt.want)
		}
	}
	for _, of := range ownAddresses(t) {
		l, err := net.Listen("tcp", net.JoinHostPort(of, "0"))
		if err != nil {
			continue // an address that is not ready yet
		}
		conn, err := net.Dial("tcp", l.Addr().String())
		testhome.NoError(t, err)
		if !isOwn(conn) {
			t.Errorf("%v is not taken for an address of this machine", conn.RemoteAddr())
		}
		_, _ = conn.Close(), l.Close() // nothing was written
	}
}

func ownAddresses(t *testing.T) (list []string) {
	t.Helper()
	all, err := net.InterfaceAddrs()
	testhome.NoError(t, err)
	for _, a := range all {
		if of, ok := a.(*net.IPNet); ok && !of.IP.IsLinkLocalUnicast() {
			list = append(list, of.IP.String())
		}
	}
	return list
}

func TestProxyConnect(t *testing.T) {
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	testhome.NoError(t, err)
	defer echo.Close()
	go func() {
		for {
			conn, err := echo.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(conn, conn); _ = conn.Close() }()
		}
	}()
	_, socket := proxyFor(t, echo.Addr(), "127.0.0.1")
	for _, tt := range []struct{ request, want string }{
		{"CONNECT 127.0.0.1:5 HTTP/1.1\r\nHost: x\r\n\r\nhello", "200"},
		{"CONNECT 127.0.0.2:5 HTTP/1.1\r\nHost: x\r\n\r\n", "403"},
		{"CONNECT 127.0.0.1 HTTP/1.1\r\nHost: x\r\n\r\n", "400"},
		{"GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "400"},
		{"GET ftp://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "400"},
		{"\x16\x03\x01\r\n\r\n", "400"},
	} {
		conn, err := net.Dial("unix", socket)
		testhome.NoError(t, err)
		if _, err := io.WriteString(conn, tt.request); err != nil {
			t.Fatal(err)
		}
		closeWrite(conn)
		r, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: http.MethodConnect})
		if err != nil || !strings.HasPrefix(r.Status, tt.want) {
			t.Errorf("%q: %v, %v, want %s", tt.request, r, err, tt.want)
			continue
		}
		if text, err := io.ReadAll(r.Body); tt.want == "200" && (string(text) != "hello" || err != nil) {
			t.Errorf("%q comes back as %q, %v", "hello", text, err)
		}
		_ = conn.Close() // nothing was written since
	}
}
