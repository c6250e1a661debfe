package proxy

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"swop/internal/session/socket"
	"swop/internal/test/testhome"
)

func TestProxyAllows(t *testing.T) {
	grants := []string{"[::1]:80", "[::ffff:7f00:1]:80", "0.0.0.0:80", "a.example", "d.example"}
	p := &Proxy{listed: []string{"a.example", "b.example:443", "*.c.example", "127.0.0.1"}, granted: func() []string { return grants }}
	for _, tt := range []struct {
		host, port string
		want       reach
	}{
		{"a.example", "443", networks},
		{"::ffff:7f00:1", "80", networks}, // a person does not read that as this machine
		{"xa.example", "80", nothing},
		{"a.example.evil", "80", nothing},
		{"b.example", "443", networks},
		{"b.example", "80", nothing},
		{"c.example", "80", nothing},
		{"x.c.example", "80", public},
		{"0.0.0.0", "80", networks},
		{"xc.example", "80", nothing},
		{"::1", "80", machine},
		{"::1", "81", nothing},
		{"127.0.0.1", "1", machine},
		{"127.0.0.2", "1", nothing},
		{"d.example", "80", public},
		{"", "80", nothing},
	} {
		if got := p.allows(tt.host, tt.port); got != tt.want {
			t.Errorf("allows(%q, %q) = %d, want %d", tt.host, tt.port, got, tt.want)
		}
	}
	p.listed = []string{"*"}
	if got := p.allows("any.example", "443"); got != public {
		t.Errorf("allows = %d where any host may be reached, want %d", got, public)
	}
}

// trial is a proxy that is tried.
type trial struct {
	*Proxy
	client  *http.Client
	socket  string
	mu      sync.Mutex
	blocked []string
	lookups int
}

// proxyFor serves with the hosts, and returns a client that goes through it. The n-th lookup of a name leads to the n-th of addresses, and
// each later one to the last.
func proxyFor(t *testing.T, addresses []string, hosts ...string) *trial {
	t.Helper()
	p := &trial{socket: filepath.Join(t.TempDir(), "s")}
	l, err := net.Listen("unix", p.socket)
	testhome.NoError(t, err)
	p.Proxy = New(l, hosts, func() []string { return nil }, func(address, why string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.blocked = append(p.blocked, address+" "+why)
	})
	t.Cleanup(func() { testhome.NoError(t, p.Close()) })
	p.dialer.Timeout = time.Second
	p.dialer.Resolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go p.resolve(theirs, addresses)
		return ours, nil
	}}
	p.client = &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: Address}), DisableKeepAlives: true,
		DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", p.socket) },
	}}
	return p
}

// resolve answers one query, as a name server does over TCP.
func (p *trial) resolve(conn net.Conn, addresses []string) {
	defer conn.Close()
	var query dnsmessage.Message
	size, text := make([]byte, 2), []byte(nil)
	_, err := io.ReadFull(conn, size)
	if err == nil {
		text = make([]byte, binary.BigEndian.Uint16(size))
		_, err = io.ReadFull(conn, text)
	}
	if err != nil || query.Unpack(text) != nil {
		return
	}
	q := query.Questions[0]
	p.mu.Lock()
	if q.Type == dnsmessage.TypeA { // the other one is asked for at the same time
		p.lookups++
	}
	to := netip.MustParseAddr(addresses[min(max(p.lookups, 1), len(addresses))-1])
	p.mu.Unlock()
	answer := dnsmessage.Message{Header: dnsmessage.Header{ID: query.ID, Response: true, RecursionAvailable: true}, Questions: query.Questions}
	header := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class}
	switch {
	case q.Type == dnsmessage.TypeA && to.Is4():
		answer.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AResource{A: to.As4()}}}
	case q.Type == dnsmessage.TypeAAAA && to.Is6():
		answer.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AAAAResource{AAAA: to.As16()}}}
	}
	if text, err = answer.Pack(); err == nil {
		_, _ = conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(text))), text...)) // the resolver sees what is missing
	}
}

// get returns the status and the text of an answer.
func (p *trial) get(t *testing.T, url, body string) (int, string) {
	t.Helper()
	r, err := p.client.Post(url, "", strings.NewReader(body))
	testhome.NoError(t, err)
	text, err := io.ReadAll(r.Body)
	testhome.NoError(t, err)
	return r.StatusCode, string(text)
}

func TestProxy(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %d %q", r.Method, r.Host, len(body), r.Header.Get("Proxy-Authorization"))
	}))
	defer server.Close()
	host := server.Listener.Addr().String()
	_, port, _ := net.SplitHostPort(host)
	p := proxyFor(t, []string{"192.0.2.1"}, "localhost", "127.0.0.1:"+port, "gone.example")
	for _, tt := range []struct {
		url, body, want string
		status          int
	}{
		{"http://localhost:" + port + "/x", "", "POST localhost:" + port + ` 0 ""`, 200},
		{"http://LocalHost.:" + port + "/x", "", ` 0 ""`, 200},
		{"http://" + host + "/x", strings.Repeat("x", 3<<20), "POST " + host + ` 3145728 ""`, 200},
		{"http://other.example/x", "", "other.example:80 is not in the list of hosts that this session may reach; to ask the user for it: codex swop ask --connect other.example:80\n", 403},
		{"http://127.0.0.1:1/x", "", "--connect 127.0.0.1:1\n", 403},
		{"http://gone.example/x", "", "gone.example:80 cannot be reached", 502},
	} {
		if status, text := p.get(t, tt.url, tt.body); status != tt.status || !strings.Contains(text, tt.want) {
			t.Errorf("%s: %d %q, want %d %q", tt.url, status, text, tt.status, tt.want)
		}
	}
	const why = " is not in the list of hosts that this session may reach"
	if want := []string{"other.example:80" + why, "127.0.0.1:1" + why}; !slices.Equal(p.blocked, want) {
		t.Errorf("blocked: %q, want %q", p.blocked, want)
	}
}

// TestReach: what a host may lead to, by what the list has of it.
func TestReach(t *testing.T) {
	for address, least := range map[string]reach{
		"192.0.2.1:80": public, "[2001:db8::1]:80": public,
		"10.0.0.1:80": networks, "172.17.0.2:80": networks, "192.168.1.1:80": networks, "100.64.0.1:80": networks,
		"[fd00:ec2::254]:80": networks, "[::ffff:10.0.0.1]:80": networks, "[64:ff9b::a00:1]:80": networks,
		"168.63.129.16:80": networks, "192.0.0.192:80": networks, "198.19.0.1:80": networks, "[2002:7f00:1::1]:80": networks, "[2001::1]:80": networks,
		"240.0.0.1:80": networks, "255.255.255.254:80": networks, "[fec0::1]:80": networks, "[64:ff9b:1::1]:80": networks,
		"[64:ff9b::f000:1]:80": networks, "[64:ff9b::c000:201]:80": public,
		"169.254.169.254:80": machine, "127.0.0.1:80": machine, "[64:ff9b::a9fe:a9fe]:80": machine,
	} {
		for _, r := range []reach{public, networks, machine} {
			err := r.control("", address, nil)
			_, closed := errors.AsType[*refusal](err)
			if err != nil && !closed || closed != (r < least) {
				t.Errorf("%d reaches %s: %v, want an error below %d", r, address, err, least)
			}
		}
	}
}

// TestProxyRebinding: a name is looked up once, and what was judged is what is connected to, wherever the next lookup leads.
func TestProxyRebinding(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testhome.NoError(t, err)
	defer l.Close()
	visited := make(chan bool, 1)
	go func() {
		if conn, err := l.Accept(); err == nil {
			_ = conn.Close()
			visited <- true
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	p := proxyFor(t, []string{"192.0.2.1", "127.0.0.1"}, "flips.example")
	if status, text := p.get(t, "http://flips.example:"+port, ""); status != 502 || p.lookups != 1 || len(visited) > 0 {
		t.Errorf("%d %q after %d lookups, visited: %d; want 502 after 1, 0", status, text, p.lookups, len(visited))
	}
	if status, _ := p.get(t, "http://flips.example:"+port, ""); status != 403 || len(visited) > 0 {
		t.Errorf("the next lookup: %d, visited: %d; want 403, 0", status, len(visited))
	}
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
	p := proxyFor(t, nil, "127.0.0.1")
	for _, tt := range []struct{ request, want string }{
		{"CONNECT " + echo.Addr().String() + " HTTP/1.1\r\nHost: x\r\n\r\nhello", "200"},
		{"CONNECT 127.0.0.2:5 HTTP/1.1\r\nHost: x\r\n\r\n", "403"},
		{"CONNECT x\x1b:5 HTTP/1.1\r\nHost: x\r\n\r\n", "400"},
		{"CONNECT 127.0.0.1 HTTP/1.1\r\nHost: x\r\n\r\n", "400"},
		{"GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "400"},
		{"GET ftp://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "400"},
		{"\x16\x03\x01\r\n\r\n", "400"},
	} {
		conn, err := net.Dial("unix", p.socket)
		testhome.NoError(t, err)
		_, err = io.WriteString(conn, tt.request)
		testhome.NoError(t, err)
		testhome.NoError(t, conn.(*net.UnixConn).CloseWrite())
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

// TestProxyHalfClosed: a program that ends what it sends after a plain request gets the answer, however long that takes.
func TestProxyHalfClosed(t *testing.T) {
	asked := make(chan struct{})
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "begin ")
		testhome.NoError(t, http.NewResponseController(w).Flush())
		<-asked
		select {
		case <-r.Context().Done():
			t.Error("the end of what the program sends ends the request")
		case <-time.After(100 * time.Millisecond):
		}
		_, _ = io.WriteString(w, "end")
	}))
	defer host.Close()
	p := proxyFor(t, nil, "127.0.0.1")
	conn, err := net.Dial("unix", p.socket)
	testhome.NoError(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", host.URL+"/", strings.TrimPrefix(host.URL, "http://"))
	testhome.NoError(t, err)
	testhome.NoError(t, conn.(*net.UnixConn).CloseWrite())
	close(asked)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	testhome.NoError(t, err)
	if text, err := io.ReadAll(answer.Body); err != nil || string(text) != "begin end" {
		t.Errorf("the answer is %q, %v", text, err)
	}
}

// TestTunnelEnds: a program sees the end of what a host sends, also by a port of this machine.
func TestTunnelEnds(t *testing.T) {
	host, err := net.Listen("tcp", "127.0.0.1:0")
	port, err2 := net.Listen("tcp", "127.0.0.1:0")
	testhome.NoError(t, errors.Join(err, err2))
	go socket.ForwardTo(port, host.Addr().String())
	conn, err := net.Dial("unix", proxyFor(t, nil, "127.0.0.1").socket)
	testhome.NoError(t, err)
	_, err = io.WriteString(conn, "CONNECT "+port.Addr().String()+" HTTP/1.1\r\nHost: x\r\n\r\n")
	to, err2 := host.Accept()
	testhome.NoError(t, errors.Join(err, err2, to.Close(), conn.SetReadDeadline(time.Now().Add(5*time.Second))))
	if text, err := io.ReadAll(conn); err != nil {
		t.Errorf("what the host sends does not end: %q, %v", text, err)
	}
}
