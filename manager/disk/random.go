package disk

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

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
