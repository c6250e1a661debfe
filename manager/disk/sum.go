//go:build unix

package disk

const (
	FnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// Mix spreads the bits of h (the finalizer of MurmurHash3).
func Mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// Sum is FNV-1a, mixed: sums of it are added up.
func Sum(text string) uint64 {
	h := uint64(FnvOffset)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * fnvPrime
	}
	return Mix(h)
}
