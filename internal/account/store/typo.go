package store

import "strings"

// IsSlip reports whether two words are a slip of the finger apart: one letter too many, too few or wrong, or two swapped. Digits tell
// accounts apart, as agent-1 and agent-2: one too many or wrong is no slip.
func IsSlip(a, b string) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	swapped := len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
	return a+b != "" && !strings.ContainsAny(a+b, "0123456789") && (swapped || len(a) <= 1 && len(b) <= 1)
}
