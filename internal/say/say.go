// Package say prints what people read: errors with their hints, and the lines of swop's own on stderr.
package say

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// The form of messages: errors go to stderr, each line after "swop: ", then the hints, which are commands that can be pasted or short
// sentences. Lower case, no full stop, user data quoted, each fact once, never a secret. A call that succeeds prints nothing. A stranger
// may have chosen the names of files and keys: characters on which a terminal would act are escaped.

// Error prints the lines of err and its hints, each once.
func Error(w io.Writer, err error) {
	all := strings.Split(lines(err), "\n")
	for _, hint := range Hints(err) {
		all = append(all, "hint: "+hint)
	}
	for i, line := range all {
		if !slices.Contains(all[:i], line) {
			Line(w, "%s", line)
		}
	}
}

// lines returns the text of err with one line for each joined error, and no other line breaks: a line break in a name, which a stranger may
// have chosen, would begin a line that looks like swop's.
func lines(err error) string {
	if dir, why := unwritable(err); why != 0 && dir != "/dev" { // /dev/stdout and the like are no files
		return OneLine("cannot write in " + dir + ": " + why.Error())
	}
	text := err.Error()
	var parts []error
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		parts = []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		parts = e.Unwrap()
		if joined := errors.Join(parts...); joined != nil && joined.Error() == text {
			var texts []string
			for _, part := range parts {
				texts = append(texts, lines(part))
			}
			return strings.Join(texts, "\n")
		}
	}
	var b strings.Builder
	for _, part := range parts {
		if part == nil {
			continue
		}
		if before, after, ok := strings.Cut(text, part.Error()); ok {
			b.WriteString(OneLine(before) + lines(part))
			text = after
		}
	}
	return b.String() + OneLine(text)
}

// unwritable returns the directory that could not be written and why, if err itself is of a file system that is full or read-only. The file
// that err names may be a temporary one.
func unwritable(err error) (dir string, why syscall.Errno) {
	switch e := err.(type) {
	case *fs.PathError:
		dir = filepath.Dir(e.Path)
	case *os.LinkError:
		dir = filepath.Dir(e.New)
	}
	why, _ = errors.AsType[syscall.Errno](err)
	if dir == "" || why != syscall.EROFS && why != syscall.ENOSPC && why != syscall.EDQUOT {
		return "", 0
	}
	return dir, why
}

// Line prints a line that begins with "swop: " on w, which is stderr. Characters that are not printable are escaped as in Go. On a terminal
// the line is folded to its width, except for hints, which can be pasted.
func Line(w io.Writer, format string, args ...any) {
	text := OneLine(fmt.Sprintf(format, args...))
	lines := []string{prefix + text}
	if !strings.HasPrefix(text, "hint: ") {
		lines = Fold(prefix+text, Width(w), len(prefix))
	}
	_, _ = io.WriteString(w, strings.Join(lines, "\n")+"\n") // there is no other stream for the error
}

const prefix = "swop: "
