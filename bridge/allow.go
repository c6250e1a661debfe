package bridge

import (
	"net/http"
	"slices"

	"swop/config"
)

// allows reports whether one of the rules admits the request. GET admits HEAD.
func allows(rules []config.Rule, t target) bool {
	return slices.ContainsFunc(rules, func(r config.Rule) bool {
		method := r.Method == t.method || r.Method == http.MethodGet && t.method == http.MethodHead
		return method && matchPath(r.Pattern, t.segments)
	})
}

// matchPath reports whether the segments of a path match a pattern: see [config.SplitPattern].
func matchPath(pattern, segments []string) bool {
	return match(len(pattern), len(segments),
		func(p int) bool { return pattern[p] == "**" },
		func(p, s int) bool { return matchSegment(pattern[p], segments[s]) })
}

// matchSegment reports whether a segment matches, byte by byte. An empty one, which is the end of a path with a slash, matches only itself.
func matchSegment(pattern, segment string) bool {
	if segment == "" || pattern == "" {
		return segment == pattern
	}
	return match(len(pattern), len(segment),
		func(p int) bool { return pattern[p] == '*' },
		func(p, s int) bool { return pattern[p] == segment[s] })
}

// match reports whether n things match a pattern of m: star says which places of the pattern stand for any number of things, one whether
// another place matches a thing. Only the last star is tried again, which is enough: the time is at most n times m.
func match(m, n int, star func(p int) bool, one func(p, s int) bool) bool {
	p, s, lastStar, from := 0, 0, -1, 0
	for s < n {
		switch {
		case p < m && star(p):
			lastStar, from = p, s
			p++
		case p < m && one(p, s):
			p, s = p+1, s+1
		case lastStar >= 0:
			from++
			p, s = lastStar+1, from
		default:
			return false
		}
	}
	for p < m && star(p) {
		p++
	}
	return p == m
}
