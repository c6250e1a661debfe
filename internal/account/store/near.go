// Package store creates, finds, renames and removes accounts.
package store

import (
	"strings"

	"swop/internal/account"
)

// near returns the label among accounts that asked is most likely a slip for, "" if none is: at edit distance 1, or 2 where both
// keys have six bytes or more. Keys whose digits differ are meant to differ: agent-1 is no slip for agent-2.
func near(asked string, accounts []account.Account) string {
	best, label := 3, ""
	for _, a := range accounts {
		if a.Key == asked || digits(a.Key) != digits(asked) {
			continue
		}
		d := distance(asked, a.Key)
		if d < best && (d == 1 || min(len(asked), len(a.Key)) >= 6) {
			best, label = d, a.Meta.Label
		}
	}
	return label
}

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

// distance is the optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours.
func distance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
