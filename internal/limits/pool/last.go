package pool

import (
	"strconv"
	"strings"
)

// Last is the text of the file `last`: which account a pool chose last in a directory, a line for each, the newest first: the key, a space,
// and the directory as Go quotes it.
type Last string

const lastHeader = "swop-last 1\n"

// maxLast is how many directories are remembered.
const maxLast = 1000

// Of returns the key of the account that was chosen last in the directory, "" for none.
func (l Last) Of(dir string) string {
	list, ok := strings.CutPrefix(string(l), lastHeader)
	if !ok || dir == "" {
		return ""
	}
	// A quote in a quoted path has a backslash before it: a space and a quote begin nothing but a path.
	before, _, found := strings.Cut(list, " "+strconv.Quote(dir)+"\n")
	if !found {
		return ""
	}
	return before[strings.LastIndexByte(before, '\n')+1:]
}

// Rename returns the text in which what was chosen as the account from was chosen as to, or nothing was where to is "".
func (l Last) Rename(from, to string) Last {
	var b strings.Builder
	for line := range strings.Lines(string(l)) {
		dir, found := strings.CutPrefix(line, from+" \"")
		if found && to != "" {
			line = to + " \"" + dir
		}
		if !found || to != "" {
			b.WriteString(line)
		}
	}
	return Last(b.String())
}

// With returns the text in which the account with the key was chosen last in the directory.
func (l Last) With(dir, key string) Last {
	var b strings.Builder
	b.WriteString(lastHeader)
	b.WriteString(key + " " + strconv.Quote(dir) + "\n")
	list, ok := strings.CutPrefix(string(l), lastHeader)
	if !ok {
		return Last(b.String()) // foreign or torn: it is only a preference that is lost
	}
	kept := 1
	for line := range strings.Lines(list) {
		_, quoted, _ := strings.Cut(line, " ")
		if quoted != strconv.Quote(dir)+"\n" && strings.HasSuffix(line, "\"\n") && kept < maxLast {
			b.WriteString(line)
			kept++
		}
	}
	return Last(b.String())
}
