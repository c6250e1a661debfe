package chatgpt

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// Since 0.158 codex asks where an account's requests go, and follows: that would lead it past the bridge. So it is told that there is no
// constraint, and the bridge follows in its place.

// CheckPath is the path that codex asks, below the backend's address.
const CheckPath = "/wham/accounts/check"

const (
	origin        = "https://chatgpt.com" // codex takes it for its own server's, and leaves an address of another origin alone
	noConstraint  = "NO_CONSTRAINT"
	originKey     = "workspace_backend_origin"
	overrideKey   = "account_routing_override"
	overrideAsked = "X-Openai-Account-Routing-Override"
)

// Route is where the requests of an account go.
type Route struct {
	Origin   string // "" for the usual one
	Override string // the value of a header, "" for none
}

// Header returns the header that carries the override.
func (r Route) Header() (name, value string) { return overrideAsked, r.Override }

// IsKnown reports whether requests may go there: OpenAI's own servers.
func (r Route) IsKnown() bool {
	if r.Origin == "" {
		return true
	}
	u, err := url.Parse(r.Origin)
	if err != nil || u.Scheme != "https" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Port() != "" {
		return false
	}
	host := u.Hostname()
	return host == "chatgpt.com" || strings.HasSuffix(host, ".chatgpt.com") || strings.HasSuffix(host, ".openai.com")
}

// Check is the answer that there is no constraint for the account.
func Check(account string) []byte {
	text, _ := json.Marshal(map[string]any{ // strings are always encoded
		"account_ordering": []string{account},
		"accounts":         []map[string]string{{"id": account, originKey: origin, overrideKey: noConstraint}},
	})
	return text
}

// Rewrite returns what a session is told in the place of the server's answer, and where the account's requests go. Other accounts of the
// login are left out. ok is false where the answer has nothing about the account.
func Rewrite(answer []byte, account string) (text []byte, r Route, ok bool) {
	var top map[string]any
	if json.Unmarshal(answer, &top) != nil {
		return nil, r, false
	}
	own := find(top["accounts"], account)
	if own == nil {
		return nil, r, false
	}
	value := func(key string) string {
		if s, _ := own[key].(string); s != noConstraint {
			return s
		}
		return ""
	}
	r = Route{strings.TrimSuffix(value(originKey), "/"), value(overrideKey)}
	own["id"], own[originKey], own[overrideKey] = account, origin, noConstraint
	top["accounts"] = []any{own}
	if _, there := top["account_ordering"]; there {
		top["account_ordering"] = []string{account}
	}
	text, err := json.Marshal(top)
	return text, r, err == nil
}

// find returns the account among those of an answer, which is a list of them, or has them by their ids; nil if it is not there.
func find(accounts any, id string) map[string]any {
	byID, _ := accounts.(map[string]any)
	list, _ := accounts.([]any)
	for _, key := range slices.Sorted(maps.Keys(byID)) {
		one, _ := byID[key].(map[string]any)
		if inner, nested := one["account"].(map[string]any); nested {
			one = inner
		}
		if key == id && one != nil {
			return one
		}
		list = append(list, one)
	}
	for _, one := range list {
		if own, _ := one.(map[string]any); own["id"] == id || own["account_id"] == id {
			return own
		}
	}
	return nil
}
