package request

import (
	"net/http"
	"path"
	"slices"

	"swop/config"
)

// Rules are the rules of a bridge.
type Rules struct {
	Bridge string // its name
	List   []config.Rule
}

// Allow reports whether one of the rules admits the request. GET admits HEAD.
func (r Rules) Allow(t Target) bool {
	return slices.ContainsFunc(r.List, func(r config.Rule) bool {
		method := r.Method == t.Method || r.Method == http.MethodGet && t.Method == http.MethodHead
		return method && MatchPath(r.Pattern, t.Segments)
	})
}

// Judge returns nil if the rules allow the request, else a refusal with the rule to ask for.
func (r Rules) Judge(t Target) *Refusal {
	if r.Allow(t) {
		return nil
	}
	return r.Ask(t.Method + " " + t.Path())
}

// JudgePath returns the target of a request to a service whose rules name methods and paths, or why the request is refused.
func (r Rules) JudgePath(asked *http.Request, uri string) (Target, *Refusal) {
	t, no := Read(asked.Method, uri)
	if no == nil {
		no = r.Judge(t)
	}
	return t, no
}

// Ask returns a refusal of a request that the rule would allow. It names the rule, and the place for it.
func (r Rules) Ask(rule string) *Refusal {
	text := "the bridge %[1]q does not allow this; ask the user to add %[2]q to allow of [bridge.%[1]s]"
	if len(r.List) == 0 {
		text = "the bridge %[1]q allows nothing yet; ask the user to write allow = [%[2]q] below [bridge.%[1]s]"
	}
	return Refuse(http.StatusForbidden, text, r.Bridge, rule)
}

// MatchPath reports whether the segments of a path match a pattern: see [config.SplitPattern]. Only the last ** is tried again, which is
// enough: the time is at most the product of both lengths.
func MatchPath(pattern, segments []string) bool {
	p, s, last, from := 0, 0, -1, 0
	for s < len(segments) {
		switch {
		case p < len(pattern) && pattern[p] == "**":
			last, from = p, s
			p++
		case p < len(pattern) && matchSegment(pattern[p], segments[s]):
			p, s = p+1, s+1
		case last >= 0:
			from++
			p, s = last+1, from
		default:
			return false
		}
	}
	return !slices.ContainsFunc(pattern[p:], func(rest string) bool { return rest != "**" })
}

// matchSegment reports whether a segment matches. An empty one, which is the end of a path with a slash, matches only itself.
func matchSegment(pattern, segment string) bool {
	ok, err := path.Match(pattern, segment) // a pattern has only stars of its syntax
	return ok && err == nil && (segment != "" || pattern == "")
}
