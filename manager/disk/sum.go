//go:build unix

package disk

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
