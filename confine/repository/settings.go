package repository

import (
	"regexp"
	"strings"
	"sync"

	"swop/disk"
)

// setting is a line of git's configuration, with the section and the key in lower case.
type setting struct{ section, key, value string }

// forms are those of a line that begins a section, and of a setting with what comes after its value: a comment.
var forms = sync.OnceValues(func() (head, pair *regexp.Regexp) {
	return regexp.MustCompile(`^\[([A-Za-z]+)(?: "[^"]*")?\](.*)$`), regexp.MustCompile(`^([A-Za-z][A-Za-z0-9-]*)\s*=\s*((?:"[^"]*"|[^"#;])*)(.*)$`)
})

// settingsOf returns what a configuration says, and whether all of it has a form that git reads in the same way.
func settingsOf(file string) (list []setting, written bool) {
	text, err := disk.ReadFile(file, 0, mostText)
	written = err == nil && !strings.ContainsAny(text, "\\\r\x00")
	if text == "" {
		return nil, written
	}
	head, pair := forms()
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, ";") {
			continue
		}
		if m := head.FindStringSubmatch(line); m != nil {
			section, line = strings.ToLower(m[1]), strings.TrimSpace(m[2]) // a key can follow on the same line
		}
		m := pair.FindStringSubmatch(line)
		if m != nil {
			list = append(list, setting{section, strings.ToLower(m[1]), strings.ReplaceAll(strings.TrimSpace(m[2]), `"`, "")})
		}
		written = written && (line == "" || m != nil && m[3] == "")
	}
	return list, written
}
