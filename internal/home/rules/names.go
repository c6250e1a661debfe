package rules

import "swop/internal/disk"

// Kind is what an entry is: a file, a directory, or neither.
type Kind interface {
	IsDir() bool
	IsRegular() bool
}

// Names sums up what a look at a directory depends on: its entries, in whatever order.
type Names uint64

// Add adds an entry. which is the target of a link in a sandbox, since a link of ours can be replaced by another, and the inode of a
// hard-linked file; "" for all others.
func (n *Names) Add(name string, is Kind, which string) {
	kind := ""
	switch {
	case is.IsDir():
		kind = "directory"
	case is.IsRegular():
		kind = "file"
	}
	*n += Names(mixed(disk.Sum(name, "\x00", kind, "\x00", which)))
}

// mixed spreads the bits of a sum, as the end of splitmix64 does: FNV's of names that differ in a digit differ by much the same.
func mixed(sum uint64) uint64 {
	sum = (sum ^ sum>>30) * 0xbf58476d1ce4e5b9
	sum = (sum ^ sum>>27) * 0x94d049bb133111eb
	return sum ^ sum>>31
}
