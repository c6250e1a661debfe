package install

import (
	"slices"
	"strings"
)

// The user's PATH on Windows is a text in the registry, whose entries may name variables. Only swop's own entry changes.

// firstOnPath returns the text with dir as its first entry, and nowhere else.
func firstOnPath(text, dir string) string {
	rest := withoutEntry(text, dir)
	if rest == "" {
		return dir
	}
	return dir + ";" + rest
}

// withoutEntry returns the text without the entries that are dir.
func withoutEntry(text, dir string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(text, ";"), func(entry string) bool { return strings.EqualFold(entry, dir) }), ";")
}
