//go:build unix

package stamp

// BaselineVersion changes with the meaning of the fields: a baseline of another version is not used.
const BaselineVersion = 4

// MaxBaseline bounds the stamp: one name of each of 10,000 waiting entries.
const MaxBaseline = 8 << 20
