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

// distance counts the insertions, deletions, substitutions and swaps of neighbours that make b of a.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
		for j := range b {
			switch {
			case i == 0:
				rows[0][j+1] = j + 1
			case a[i-1] == b[j]:
				rows[i][j+1] = rows[i-1][j]
			default:
				rows[i][j+1] = 1 + min(rows[i-1][j], rows[i-1][j+1], rows[i][j])
				if i > 1 && j > 0 && a[i-1] == b[j-1] && a[i-2] == b[j] {
					rows[i][j+1] = min(rows[i][j+1], rows[i-2][j-1]+1)
				}
			}
		}
	}
	return rows[len(a)][len(b)]
}
