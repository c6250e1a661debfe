package manager

import (
	"strconv"
	"unicode"
	"unicode/utf8"

	"swop/config"
)

// Shown returns a name or path as it may go to a terminal: as it is, or quoted as Go does where it has anything but printable characters.
func Shown(s string) string {
	for _, r := range s {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return strconv.Quote(s)
		}
	}
	return s
}

// ShellQuote is [config.ShellQuote].
func ShellQuote(s string) string { return config.ShellQuote(s) }
