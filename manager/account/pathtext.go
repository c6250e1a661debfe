package account

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A path is bytes, and JSON is UTF-8: a path that is not is written as Go quotes it, which no absolute path begins like.

func pathText(path string) string {
	if utf8.ValidString(path) {
		return path
	}
	return strconv.Quote(path)
}

func textPath(text string) string {
	if strings.HasPrefix(text, `"`) {
		if path, err := strconv.Unquote(text); err == nil {
			return path
		}
	}
	return text
}
