package github

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// schema has the fields of GitHub's types that a query may select: what belongs to a repository, and of what lies elsewhere only what it is
// called. Behind "Type:" stand its fields. A field with a colon leads to the type behind it: *T is a connection to many of T. +T stands for the
// fields of T, which comes before. To admit a field is to add it there: first see that it leads to nothing outside of the repository.
//
//go:embed schema.txt
var schema string

// types returns the fields of the schema by type.
var types = sync.OnceValue(func() map[string][]string {
	all, of := map[string][]string{}, ""
	for word := range strings.FieldsSeq(schema) {
		if name, ok := strings.CutSuffix(word, ":"); ok {
			of = name
		} else if other, ok := strings.CutPrefix(word, "+"); ok {
			all[of] = append(all[of], all[other]...)
		} else {
			all[of] = append(all[of], word)
		}
	}
	return all
})

// conditions are the types that a fragment may name inside of another one, and as which type of ours it is then read.
var conditions = map[string]string{
	"OtherRepository":    "Repository:OtherRepository",
	"Actor":              "Actor:Actor User:Actor Bot:Actor Organization:Actor Mannequin:Actor EnterpriseUserAccount:Actor RepositoryOwner:Actor",
	"Viewer":             "User:Viewer",
	"IssueOrPullRequest": "Issue:Issue PullRequest:PullRequest",
	"Reviewer":           "User:Reviewer Team:Reviewer Bot:Reviewer Mannequin:Reviewer",
	"RollupContext":      "StatusContext:RollupContext CheckRun:RollupContext",
	"GitObject":          "Commit:Commit Tree:Tree Blob:Blob Tag:Tag",
	"Comment":            "IssueComment:Comment PullRequestReviewComment:Comment",
	"Review":             "PullRequestReview:Review",
	"Project":            "ProjectV2:Project",
}

// fieldOf returns where a field of a type leads: "" for text, numbers and the like. It reports false for a field that is not admitted.
func fieldOf(of, field string) (to string, ok bool) {
	if field == "__typename" {
		return "", true
	}
	if many, connection := strings.CutPrefix(of, "*"); connection {
		return connectionField(many, field)
	}
	if one, edge := strings.CutPrefix(of, ">"); edge {
		if field == "node" {
			return one, true
		}
		return "", field == "cursor" || field == "size"
	}
	return find(types()[of], field)
}

// connectionField is [fieldOf] for a connection to many, whose edges are of type ">"+many.
func connectionField(many, field string) (to string, ok bool) {
	switch field {
	case "nodes":
		return many, true
	case "edges":
		return ">" + many, true
	case "pageInfo":
		return "PageInfo", true
	}
	return "", field == "totalCount"
}

// find returns what stands behind the colon of a word.
func find(words []string, name string) (behind string, ok bool) {
	at := slices.IndexFunc(words, func(word string) bool { return word == name || strings.HasPrefix(word, name+":") })
	if at < 0 {
		return "", false
	}
	_, behind, _ = strings.Cut(words[at], ":")
	return behind, true
}

// conditionOf returns as which type the fields of a fragment on a type of GitHub's are read, inside of a type of ours.
func conditionOf(inside, on string) (as string, ok bool) {
	if on == "" || on == inside {
		return inside, true
	}
	return find(strings.Fields(conditions[inside]), on)
}
