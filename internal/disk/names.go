package disk

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// RandomName returns characters of [0-9a-f] that no other call returns. They tell names apart, in directories of the user's alone, and are
// no secret.
func RandomName() string { return fmt.Sprintf("%013x%013x", rand.Uint64()>>12, rand.Uint64()>>12) }

// tempPrefix begins the names of files that are not complete yet.
const tempPrefix = ".swop-c-"

// TempName returns a free name for a file that is written beside the one that it replaces.
func TempName() string { return tempPrefix + RandomName() }

// IsTemp reports whether the name is one of [TempName].
func IsTemp(name string) bool {
	rest, ok := strings.CutPrefix(name, tempPrefix)
	return ok && len(rest) == len(RandomName())
}

// Sum is FNV-1a of the texts, one after the other.
func Sum(texts ...string) uint64 {
	sum := uint64(14695981039346656037)
	for _, text := range texts {
		for i := range len(text) {
			sum = (sum ^ uint64(text[i])) * 1099511628211
		}
	}
	return sum
}
