//go:build unix

package stamp

// BaselineVersion changes with the meaning of the fields: another version is no memory.
const BaselineVersion = 4

// MaxBaseline bounds the stamp: one name of each of 10,000 waiting entries.
const MaxBaseline = 8 << 20
