package shim

import (
	"encoding/binary"
	"math/bits"
)

// roundConstants are those of FIPS 180-4, 4.2.2.
var roundConstants = [64]uint32{
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}

// sum256 is the SHA-256 of data (FIPS 180-4), in hexadecimal. crypto/sha256 is quicker at it, but brings FIPS 140's set-up with it, which
// every start of the shim would pay for; this one is run only where codex is npm's launcher, over less than 10 kB.
func sum256(data []byte) string {
	h := [8]uint32{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}
	whole := len(data) &^ 63
	for i := 0; i < whole; i += 64 {
		addBlock(&h, (*[64]byte)(data[i:]))
	}
	var end [128]byte
	n := copy(end[:], data[whole:])
	end[n] = 0x80
	size := 64
	if n >= 56 { // the length no longer fits behind the mark
		size = 128
	}
	binary.BigEndian.PutUint64(end[size-8:], uint64(len(data))*8)
	for i := 0; i < size; i += 64 {
		addBlock(&h, (*[64]byte)(end[i:]))
	}
	return hexadecimal(h)
}

func addBlock(h *[8]uint32, block *[64]byte) {
	var w [64]uint32
	for i := range 16 {
		w[i] = binary.BigEndian.Uint32(block[4*i:])
	}
	for i := 16; i < 64; i++ {
		x, y := w[i-2], w[i-15]
		w[i] = (bits.RotateLeft32(x, -17) ^ bits.RotateLeft32(x, -19) ^ x>>10) + w[i-7] +
			(bits.RotateLeft32(y, -7) ^ bits.RotateLeft32(y, -18) ^ y>>3) + w[i-16]
	}
	a, b, c, d, e, f, g, k := h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7]
	for i := range 64 {
		t1 := k + (bits.RotateLeft32(e, -6) ^ bits.RotateLeft32(e, -11) ^ bits.RotateLeft32(e, -25)) + (e&f ^ ^e&g) + roundConstants[i] + w[i]
		t2 := (bits.RotateLeft32(a, -2) ^ bits.RotateLeft32(a, -13) ^ bits.RotateLeft32(a, -22)) + (a&b ^ a&c ^ b&c)
		a, b, c, d, e, f, g, k = t1+t2, a, b, c, d+t1, e, f, g
	}
	for i, v := range [8]uint32{a, b, c, d, e, f, g, k} {
		h[i] += v
	}
}

func hexadecimal(h [8]uint32) string {
	const digits = "0123456789abcdef"
	var text [64]byte
	for i := range text {
		text[i] = digits[h[i/8]>>(28-4*(i%8))&15]
	}
	return string(text[:])
}
