package disk

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// FNVOffset is the FNV-1a hash of nothing.
const FNVOffset = 14695981039346656037

// FNV returns the FNV-1a hash h with text added.
func FNV(h uint64, text string) uint64 {
	const prime = 1099511628211
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * prime
	}
	return h
}

// Mix spreads the bits of h (the finalizer of MurmurHash3).
func Mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// Sum is the FNV-1a hash of text, mixed, since sums of it are added up.
func Sum(text string) uint64 { return Mix(FNV(FNVOffset, text)) }

// RandomLength is the length of what RandomName returns.
const RandomLength = 26

// RandomName returns 26 characters of [0-9a-v] that no other call returns. They tell names apart, in directories of the user's alone,
// and are no secret: crypto/rand would bring math/big into every start of codex.
func RandomName() string {
	const digits = 13 // of 64 bits in base 32
	var b strings.Builder
	for range 2 {
		half := strconv.FormatUint(rand.Uint64(), 32)
		b.WriteString(strings.Repeat("0", digits-len(half)) + half)
	}
	return b.String()
}

// CopyPrefix begins the names of copies that are not complete yet: their originals are where they were.
const CopyPrefix = ".swop-c-"

// CopyName returns a free name for a copy that is not complete yet.
func CopyName() string { return CopyPrefix + RandomName() }

// IsCopy reports whether the name is one of [CopyName].
func IsCopy(name string) bool {
	rest, ok := strings.CutPrefix(name, CopyPrefix)
	return ok && len(rest) == RandomLength
}

const tempEnd = ".tmp"

// TempName returns a free name for a file that is written beside the one that it replaces.
func TempName() string { return CopyName() + tempEnd }

// IsTemp reports whether the name is one of [TempName].
func IsTemp(name string) bool {
	rest, ok := strings.CutSuffix(name, tempEnd)
	return ok && IsCopy(rest)
}
