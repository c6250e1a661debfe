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

// What people read. Errors go to stderr, each line after "swop: ", then the hints, which are commands that can be pasted or short
// sentences. Lower case, no full stop, user data quoted, each fact once, never a secret. A call that succeeds prints nothing.
// Anybody may have chosen the names of files and keys: what a terminal would act on is escaped.

// Error prints err and its hints.
func Error(w io.Writer, err error) {
	for _, line := range strings.Split(lines(err), "\n") {
		Line(w, "%s", line)
	}
	for _, hint := range Hints(err) {
		Line(w, "hint: %s", hint)
	}
}

// lines returns the text of err with one line for each joined error, and no other line breaks: one in a name, which a stranger may have
// chosen, would begin a line that looks like swop's own.
func lines(err error) string {
	if dir, why := unwritable(err); why != 0 && dir != "/dev" { // the streams have names there
		return oneLine("cannot write in " + dir + ": " + why.Error())
	}
	text := err.Error()
	var parts []error
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		parts = []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		parts = e.Unwrap()
		if texts := each(parts, error.Error); strings.Join(texts, "\n") == text {
			return strings.Join(each(once(parts), lines), "\n")
		}
	}
	var b strings.Builder
	for _, part := range parts {
		if part == nil {
			continue
		}
		if before, after, ok := strings.Cut(text, part.Error()); ok {
			b.WriteString(oneLine(before) + lines(part))
			text = after
		}
	}
	return b.String() + oneLine(text)
}

// unwritable returns the directory that could not be written and why, if err itself says that its file system is full or read-only. The
// name in it may be that of a temporary file.
func unwritable(err error) (dir string, why syscall.Errno) {
	switch e := err.(type) {
	case *fs.PathError:
		return filepath.Dir(e.Path), full(e.Err)
	case *os.LinkError:
		return filepath.Dir(e.New), full(e.Err)
	}
	return "", 0
}

// full returns the error number of a file system that is full or read-only, 0 if err has another cause, or several.
func full(err error) (why syscall.Errno) {
	for ; err != nil; err = errors.Unwrap(err) {
		if errno, is := err.(syscall.Errno); is && (errno == syscall.EROFS || errno == syscall.ENOSPC || errno == syscall.EDQUOT) {
			return errno
		}
	}
	return 0
}

// once returns the errors without those that say again that the file system is full or read-only.
func once(errs []error) (list []error) {
	var seen []syscall.Errno
	for _, err := range errs {
		if why := full(err); why == 0 || !slices.Contains(seen, why) {
			seen, list = append(seen, why), append(list, err)
		}
	}
	return list
}

func each(errs []error, say func(error) string) []string {
	var texts []string
	for _, err := range errs {
		texts = append(texts, say(err))
	}
	return texts
}

// Line prints a line that begins with "swop: " on w, which is stderr. What is not printable is escaped as in Go. A terminal gets it folded
// to its width, except hints, which are pasted.
func Line(w io.Writer, format string, args ...any) {
	text := OneLine(fmt.Sprintf(format, args...))
	lines := []string{prefix + text}
	if !strings.HasPrefix(text, "hint: ") {
		lines = Fold(prefix+text, Width(w), len(prefix))
	}
	write(w, strings.Join(lines, "\n")+"\n")
}

const prefix = "swop: "
