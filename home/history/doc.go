// Package history keeps versions of entries of the shared homes that would else be lost: those in whose place another version came because
// accounts share the entry. Each is a directory below kept/ in swop's root, with the files of the version and a description. A version comes
// there by a rename, and is complete as soon as it is there. It outlives its account.
package history
