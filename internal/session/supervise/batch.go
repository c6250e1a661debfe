package supervise

import (
	"errors"
	"strings"
)

// Windows passes one line to a program, which takes it apart by itself: most as C programs do, and cmd, which runs .cmd files, in a way of
// its own, in which arguments can become commands (CVE-2024-24576). So what cmd gets is quoted as Rust's library does, or refused.

// batchLine returns the line by which cmd runs the batch file at path. An argument or path that cmd would take apart is an error.
func batchLine(cmd, path string, args []string) (string, error) {
	if strings.ContainsAny(path, "\"%") {
		return "", errors.New("the path of a .cmd file has a character that cmd would replace")
	}
	line := `"` + cmd + `" /e:ON /v:OFF /d /c ""` + path + `"`
	for _, arg := range args {
		if strings.ContainsAny(arg, "\x00\r\n") {
			return "", errors.New("a line break in an argument cannot be passed to a .cmd file; name the native codex.exe in config.toml")
		}
		line += ` "` + quoteForBatch(arg) + `"`
	}
	return line + `"`, nil
}

// quoteForBatch quotes what stands between quotes for cmd: quotes are doubled, and so are the backslashes before them; a percent sign is
// preceded by a variable that is empty, so that no variable is put in its place.
func quoteForBatch(arg string) string {
	const emptyVariable = "%%cd:~,"
	var b strings.Builder
	slashes := 0
	for i := range len(arg) {
		switch arg[i] {
		case '"':
			b.WriteString(strings.Repeat(`\`, slashes) + `"`)
		case '%':
			b.WriteString(emptyVariable)
		}
		b.WriteByte(arg[i])
		slashes++
		if arg[i] != '\\' {
			slashes = 0
		}
	}
	return b.String() + strings.Repeat(`\`, slashes)
}
