package child

import (
	"errors"
	"fmt"
	"strings"
)

// Windows passes one line to a program, which takes it apart by itself: most as C programs do, and cmd, which runs .cmd files, in a way of its
// own, in which arguments can become commands (CVE-2024-24576). So what cmd gets is quoted as Rust's library does, or refused.

// quoteArgument returns arg as a C program reads it back
// (https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments).
func quoteArgument(arg string) string {
	if arg != "" && !strings.ContainsAny(arg, " \t\n\v\"") {
		return arg
	}
	var b strings.Builder
	b.WriteByte('"')
	slashes := 0
	for i := range len(arg) {
		switch arg[i] {
		case '\\':
			slashes++
		case '"':
			b.WriteString(strings.Repeat(`\`, slashes+1)) // those before a quote count twice
			slashes = 0
		default:
			slashes = 0
		}
		b.WriteByte(arg[i])
	}
	b.WriteString(strings.Repeat(`\`, slashes))
	b.WriteByte('"')
	return b.String()
}

// batchLine returns the line by which cmd runs the batch file at path. An argument that cmd would take apart is an error.
func batchLine(cmd, path string, args []string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, `"%s" /e:ON /v:OFF /d /c ""%s"`, cmd, path)
	for _, arg := range args {
		if strings.ContainsAny(arg, "\x00\r\n") {
			return "", errors.New("a line break in an argument cannot be passed to a .cmd file; name the native codex.exe in config.toml")
		}
		b.WriteByte(' ')
		b.WriteString(quoteForBatch(arg))
	}
	b.WriteByte('"')
	return b.String(), nil
}

// quoteForBatch quotes an argument for cmd: quotes are doubled, and a percent sign is followed by a variable that is empty, so that no variable is
// put in its place.
func quoteForBatch(arg string) string {
	const noVariable = "%%cd:~,%"
	var b strings.Builder
	b.WriteByte('"')
	slashes := 0
	for i := range len(arg) {
		c := arg[i]
		switch {
		case c == '\\':
			slashes++
		case c == '"':
			b.WriteString(strings.Repeat(`\`, slashes) + `"`)
			slashes = 0
		default:
			slashes = 0
		}
		if c == '%' {
			b.WriteString(noVariable)
			continue
		}
		b.WriteByte(c)
	}
	b.WriteString(strings.Repeat(`\`, slashes))
	b.WriteByte('"')
	return b.String()
}
