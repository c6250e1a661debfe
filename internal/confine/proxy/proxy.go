// Package proxy lets the programs of a confined session reach hosts: any host of the Internet, or the hosts of a list.
package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/netutil"

	"swop/config"
	"swop/internal/session/socket"
)

// Proxy lets a confined session reach hosts: it serves a listener in the session's network, and connects in this machine's. It takes
// CONNECT and plain HTTP; names are resolved outside of the session.
type Proxy struct {
	listed  []string        // "*" is every host of the Internet
	granted func() []string // more, at present
	server  http.Server
	plain   httputil.ReverseProxy
	dialer  net.Dialer
	blocked func(address, why string)
}

// Address is where the proxy is found inside, in the session's own network, by the port.
const (
	Address = "127.0.0.1:3128"
	Port    = 3128
)

// maxClients bounds the connections that are served at once.
const maxClients = 512

// patience bounds the time in which a program sends its request, and a host answers.
const patience = 30 * time.Second

// New serves on the listener until the proxy is closed. It calls granted, and blocked with refused addresses, at the same time for several
// requests.
func New(l net.Listener, listed []string, granted func() []string, blocked func(address, why string)) *Proxy {
	l = netutil.LimitListener(l, maxClients)
	p := &Proxy{listed: listed, granted: granted, dialer: net.Dialer{Timeout: patience}, blocked: blocked}
	silent := log.New(io.Discard, "", 0) // the terminal is codex's
	p.server = http.Server{Handler: p, ReadHeaderTimeout: patience, ErrorLog: silent}
	p.plain = httputil.ReverseProxy{
		Rewrite: func(*httputil.ProxyRequest) {}, FlushInterval: -1, ErrorHandler: refuse, ErrorLog: silent,
		Transport: &http.Transport{DialContext: p.dial, DisableKeepAlives: true, DisableCompression: true},
	}
	p.server.SetKeepAlivesEnabled(false)
	go func() { _ = p.server.Serve(l) }() // until Close
	return p
}

// Close ends the proxy. Open tunnels end by themselves, with the session.
func (p *Proxy) Close() error { return p.server.Close() }

// ServeHTTP implements [http.Handler].
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodConnect:
		upstream, err := p.dial(context.WithoutCancel(r.Context()), "tcp", r.RequestURI) // the program may have sent all of its data
		if err != nil {
			refuse(w, r, err)
			return
		}
		defer upstream.Close()
		conn, buffer, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return // the program is gone
		}
		defer conn.Close()
		if _, err = io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n"); err == nil {
			socket.Relay(conn, buffer, upstream)
		}
	case r.URL.Scheme != "http" || r.URL.Host == "":
		refuse(w, r, &refusal{status: http.StatusBadRequest, reason: "only CONNECT and http:// are passed on"})
	default:
		ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context())) // as above: the program reads the answer to the end
		defer cancel()
		p.plain.ServeHTTP(w, r.WithContext(ctx))
	}
}

// refusal is an answer of the proxy's own.
type refusal struct {
	status int
	reason string
	ask    string // the address to ask the user for
}

func (r *refusal) Error() string { return r.reason }

// dial connects to a host and a port that the list has.
func (p *Proxy) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(strings.ToLower(address))
	host = strings.TrimSuffix(host, ".")
	address = net.JoinHostPort(host, port)
	if err != nil || port == "" || !config.IsHost(address) {
		return nil, &refusal{status: http.StatusBadRequest, reason: "invalid host and port"}
	}
	may := p.allows(host, port)
	if may == nothing {
		return nil, p.block(address, &refusal{http.StatusForbidden, "is not in the list of hosts that this session may reach", address})
	}
	dialer := p.dialer
	dialer.Control = may.control
	conn, err := dialer.DialContext(ctx, network, address)
	if closed, ok := errors.AsType[*refusal](err); ok {
		return nil, p.block(address, closed)
	}
	if err != nil {
		return nil, &refusal{status: http.StatusBadGateway, reason: address + " cannot be reached"}
	}
	return conn, nil
}

// block notes that the session does not reach an address, and says so in the refusal.
func (p *Proxy) block(address string, r *refusal) error {
	p.blocked(address, r.reason)
	r.reason = fmt.Sprintf("%s %s; to ask the user for it: codex swop ask --connect %s", address, r.reason, r.ask)
	return r
}

// reach says to which addresses a host may lead. An address is judged when the proxy connects to it: a name may lead anywhere.
type reach int

const (
	nothing  reach = iota
	public         // addresses of the Internet: the list has a pattern, or the name was granted, whose owner may be the agent's
	networks       // addresses of private networks, too: the list has the host's name
	machine        // this machine's addresses, too: the list has the address
)

// allows returns the reach of the host with this port, by the list and the grants.
func (p *Proxy) allows(host, port string) (most reach) {
	for i, entry := range append(slices.Clip(p.listed), p.granted()...) {
		name, only := entry, ""
		if h, n, err := net.SplitHostPort(entry); err == nil {
			name, only = h, n
		}
		name = strings.Trim(name, "[]")
		suffix, wild := strings.CutPrefix(name, "*")
		if (only == "" || only == port) && (name == "*" || name == host || wild && strings.HasSuffix(host, suffix)) {
			switch _, err := netip.ParseAddr(name); {
			case IsLocal(name), err == nil && i < len(p.listed):
				return machine
			case wild, err != nil && i >= len(p.listed):
				most = max(most, public)
			default:
				most = max(most, networks)
			}
		}
	}
	return most
}

// IsLocal reports whether a host is this machine by its very name, as people read it. Of others the proxy judges the address.
func IsLocal(host string) bool {
	of, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && of.IsLoopback() && !of.Is4In6()
}

// control fails for an address that is out of reach, before anything is sent there. Its caller has resolved the name, and connects to the
// address.
func (r reach) control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || r == machine {
		return err
	}
	of := to.Addr().Unmap().WithZone("")
	if translated.Contains(of) { // the last four bytes are the address behind the NAT
		bytes := of.As16()
		of = netip.AddrFrom4([4]byte(bytes[12:]))
	}
	own, err := isOwn(of)
	switch {
	case err != nil:
		return err
	case own:
		return &refusal{http.StatusForbidden, "leads to this machine, which the list does not name", address}
	case r == public && (of.IsPrivate() || slices.ContainsFunc(unlisted, func(p netip.Prefix) bool { return p.Contains(of) })):
		return &refusal{http.StatusForbidden, "leads to a private network, which the list does not name", address}
	}
	return nil
}

var translated = netip.MustParsePrefix("64:ff9b::/96") // by NAT64: RFC 6052

// unlisted are networks outside of the Internet, beside the networks that Go calls private.
var unlisted = []netip.Prefix{
	netip.MustParsePrefix("100.64.0.0/10"),    // of a provider's network: RFC 6598
	netip.MustParsePrefix("168.63.129.16/32"), // Azure's services for this machine
	netip.MustParsePrefix("192.0.0.0/24"),     // of protocols, and Oracle's services for this machine: RFC 6890
	netip.MustParsePrefix("198.18.0.0/15"),    // of measurements: RFC 2544
	netip.MustParsePrefix("2002::/16"),        // with another address in it: RFC 3056
	netip.MustParsePrefix("2001::/32"),        // likewise: RFC 4380
	netip.MustParsePrefix("240.0.0.0/4"),      // reserved, and used by some: RFC 1112
	netip.MustParsePrefix("fec0::/10"),        // of a site: RFC 3879
	netip.MustParsePrefix("64:ff9b:1::/48"),   // by a NAT64 of the network's own: RFC 8215
}

// isOwn reports whether an address is this machine's, or of its own link.
func isOwn(of netip.Addr) (bool, error) {
	if of.IsLoopback() || of.IsUnspecified() || of.IsLinkLocalUnicast() || of.IsMulticast() {
		return true, nil
	}
	addresses, err := net.InterfaceAddrs()
	return slices.ContainsFunc(addresses, func(a net.Addr) bool { return strings.HasPrefix(a.String(), of.String()+"/") }), err
}

// refuse answers with the reason.
func refuse(w http.ResponseWriter, _ *http.Request, err error) {
	of, ok := errors.AsType[*refusal](err)
	if !ok {
		of = &refusal{status: http.StatusBadGateway, reason: "the host ended the connection"}
	}
	http.Error(w, "swop: "+of.reason, of.status)
}
