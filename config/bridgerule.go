package config

import (
	"slices"
	"strings"
)

// Rule is a line of allow: a method and a pattern for the path of a request; or, of a github bridge, repositories.
type Rule struct {
	Text    string // as it was written
	Method  string
	Pattern []string // the segments of the path, see [SplitPattern]; of repositories, owner and name
	Repo    bool     // the rule names repositories
	Write   bool     // these may be changed, too
	GraphQL bool     // the rule admits every query and mutation, unread
}

// methods are those that a rule may name. CONNECT and TRACE are never admitted.
var methods = []string{"DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"}

// ParseRule returns the rule that a line of allow says, or what is wrong with it.
func ParseRule(kind, text string) (r Rule, defect string) {
	if repo, ok := strings.CutPrefix(text, "repo:"); ok && kind == BridgeGitHub {
		return repoRule(text, repo)
	}
	if text == "graphql" && kind == BridgeGitHub {
		return Rule{Text: text, GraphQL: true}, ""
	}
	method, path, ok := strings.Cut(text, " ")
	switch {
	case !ok || !strings.HasPrefix(path, "/"):
		return Rule{}, `is not a rule: METHOD /PATH, such as "GET /issues/*"` + aboutRepos(kind)
	case !slices.Contains(methods, method):
		return Rule{}, "has a method that is not one of: " + strings.Join(methods, ", ")
	}
	pattern, defect := SplitPattern(path)
	return Rule{Text: text, Method: method, Pattern: pattern}, defect
}

func aboutRepos(kind string) string {
	if kind == BridgeGitHub {
		return `, or repo:OWNER/NAME, with write behind it or not, such as "repo:acme/* write", or graphql`
	}
	return ""
}

// repoRule parses OWNER/NAME, and read or write behind it. GitHub does not tell upper from lower case in names.
func repoRule(text, repo string) (r Rule, defect string) {
	names, access, _ := strings.Cut(repo, " ")
	if access != "" && access != "read" && access != "write" {
		return r, "ends with neither read nor write"
	}
	pattern, defect := SplitPattern("/" + strings.ToLower(names))
	switch {
	case defect != "":
		return r, defect
	case len(pattern) != 2 || pattern[1] == "" || slices.Contains(pattern, "**"):
		return r, "must name an owner and a repository: repo:OWNER/NAME"
	case strings.ContainsRune(pattern[0], '*'):
		return r, "must name an owner in full: anybody can make an account whose name fits, and a repository to carry something out"
	}
	return Rule{Text: text, Pattern: pattern, Repo: true, Write: access == "write"}, ""
}

// SplitPattern returns the segments of a pattern for paths, or what is wrong with it. In a segment * stands for any characters; a segment
// ** stands for any number of segments, none too. The last segment is empty if the path ends with a slash.
func SplitPattern(path string) (segments []string, defect string) {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~!$&'()+,=:@/*") != "" {
		return nil, "has a character that is not allowed in a pattern"
	}
	segments = strings.Split(path[1:], "/")
	for i, s := range segments {
		switch {
		case s == "" && i < len(segments)-1:
			return nil, "has // in its path"
		case s == "." || s == "..":
			return nil, "has . or .. in its path"
		case s != "**" && strings.Contains(s, "**"):
			return nil, "has ** inside a segment: it stands for whole segments, between slashes"
		}
	}
	return segments, ""
}
