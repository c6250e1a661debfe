//go:build unix

package bridge

import (
	"cmp"
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"time"

	"swop/internal/bridge/request"
)

// The bounds of a session's requests.
const (
	maxConnections = 256              // open at once at a socket or port; more wait to be accepted
	maxRequests    = 32               // sent on at once; more wait
	maxHeader      = 64 << 10         // bytes of a request's header
	headTime       = 10 * time.Second // for that header, from a client that is slow
	answerTime     = 2 * time.Minute  // for the header of an answer
)

// destination is the service of a bridge, with the header for the secret.
type destination struct {
	base       *url.URL
	credential func(token string) (header, value string)
	amend      func(http.Header) // sets other headers of the bridge; nil without such
	ended      int               // the status where the secret is refused, 0 for 502
	log        *log.Logger
	transport  http.RoundTripper
}

// newTransport returns the transport to upstreams: HTTP/1.1, with the system's certificates, and by the proxy that the environment names.
func newTransport() *http.Transport {
	dialer := net.Dialer{Timeout: 15 * time.Second}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, TLSHandshakeTimeout: 15 * time.Second,
		ResponseHeaderTimeout: answerTime, MaxResponseHeaderBytes: 1 << 20, MaxIdleConnsPerHost: maxRequests, IdleConnTimeout: time.Minute,
		DisableCompression: true, // a compressed answer cannot be searched
	}
}

// dropped are headers of a request that are not sent on: other credentials, other methods or paths, names of the client, and headers after
// which the answer could come in a form, or in parts, in which the secret is not found.
var dropped = []string{
	"Accept-Encoding", "Authorization", "Cookie", "Forwarded", "If-Range", "Private-Token", "Proxy-Authorization", "Range", "Te", "X-Api-Key",
	sessionHeader,
}

// families are the beginnings of names of such headers.
var families = []string{"X-Forwarded-", "X-Http-Method", "X-Method", "X-Original-", "X-Rewrite-"}

// plainName reports whether a header's name consists of letters, digits and hyphens. Many servers take X_Http_Method_Override for the
// header with hyphens: headers with other names are not sent on.
func plainName(name string) bool {
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == ""
}

// sessionHeader has the proof that a request of git is the session's.
const sessionHeader = "X-Swop-Session"

// send sends a request on, with the secret of an attempt or a newer one, and the answer back. It sets the status of the answer, or returns
// why there is no answer. If the client goes away in the middle of the answer, it panics with [http.ErrAbortHandler], for net/http.
func (d *destination) send(w http.ResponseWriter, r *http.Request, t request.Target, a attempt, status *int) (no *request.Refusal) {
	if t.Reads() && r.ContentLength != 0 { // a server that expects none could take it for the next request
		return request.Refuse(http.StatusBadRequest, "a body of %s is not sent on", t.Method)
	}
	a.destination = d
	proxy := httputil.ReverseProxy{
		Rewrite:   func(p *httputil.ProxyRequest) { d.prepare(p, t, a.now) },
		Transport: &a,
		ModifyResponse: func(answer *http.Response) error {
			*status = answer.StatusCode
			return d.clean(answer, a.seen)
		},
		ErrorHandler:  func(_ http.ResponseWriter, _ *http.Request, err error) { no = badAnswer(err) },
		ErrorLog:      d.log,
		FlushInterval: -1,
	}
	proxy.ServeHTTP(w, r)
	return no
}

func (d *destination) prepare(p *httputil.ProxyRequest, t request.Target, token string) {
	for name := range p.Out.Header {
		isOne := func(family string) bool { return strings.HasPrefix(name, family) }
		if slices.Contains(dropped, name) || slices.ContainsFunc(families, isOne) || !plainName(name) {
			delete(p.Out.Header, name)
		}
	}
	p.Out.Trailer = nil // nor are they sent on behind the body
	u, cut := *d.base, ""
	if t.GraphQL {
		cut = "/v3" // a server of one's own answers it at /api/graphql
	}
	u.Path = strings.TrimSuffix(d.base.Path, cut) + t.Path()
	u.RawPath, u.RawQuery = strings.TrimSuffix(d.base.EscapedPath(), cut)+t.Escaped(), t.Query
	p.Out.URL, p.Out.Host = &u, ""
	name, value := d.credential(token)
	p.Out.Header.Set(name, value)
	if d.amend != nil {
		d.amend(p.Out.Header)
	}
}

// badAnswer returns why there is no answer from upstream, without any text from there.
func badAnswer(err error) *request.Refusal {
	var no *request.Refusal
	var timeout net.Error
	switch {
	case errors.As(err, &no):
		return no
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return request.Refuse(http.StatusGatewayTimeout, "the service behind the bridge does not answer in time")
	}
	return request.Refuse(http.StatusBadGateway, "the service behind the bridge cannot be reached, or ended the connection")
}

// clean covers the secrets in an answer, and drops headers that the session must not see, or refuses the answer.
func (d *destination) clean(answer *http.Response, tokens []string) error {
	switch {
	case answer.StatusCode == http.StatusUnauthorized:
		const text = "the service behind the bridge does not accept the bridge's token: it may have expired"
		return request.Refuse(cmp.Or(d.ended, http.StatusBadGateway), text)
	case answer.StatusCode == http.StatusSwitchingProtocols:
		return request.Refuse(http.StatusBadGateway, "the service behind the bridge asks for another protocol, which no bridge passes on")
	case answer.StatusCode/100 == 3 && answer.Header.Get("Location") != "":
		return request.Refuse(http.StatusBadGateway, "the service behind the bridge redirects to another address, which is not followed")
	case !strings.EqualFold(answer.Header.Get("Content-Encoding"), "identity") && answer.Header.Get("Content-Encoding") != "":
		return request.Refuse(http.StatusBadGateway, "the service sent a compressed answer, which cannot be searched for the token")
	}
	for _, name := range []string{"Set-Cookie", "Www-Authenticate", "Authorization", "Alt-Svc", "Trailer"} {
		answer.Header.Del(name)
	}
	for _, token := range slices.Clone(tokens) {
		if _, sent := d.credential(token); strings.HasPrefix(sent, "Basic ") { // to git's server
			tokens = append(tokens, strings.TrimPrefix(sent, "Basic "))
		}
	}
	coverHeaders(answer.Header, tokens)
	answer.Body = scrub(answer.Body, tokens)
	return nil
}
