package confine

import (
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"

	"swop/manager/account"
	"swop/manager/disk"
)

// bringTUI gives the host's configuration what the session changed in [tui], which says how codex's screen looks. It reports false where
// something of that has no place there, or is more than looks.
func (s *Session) bringTUI(was, now string) (bool, error) {
	if reflect.DeepEqual(tables(was)["tui"], tables(now)["tui"]) {
		return true, nil
	}
	file, err := disk.LinkEnd(s.configFile())
	if err != nil {
		return false, err
	}
	text, err := disk.ReadFile(file, 0, account.MaxCodexConfig)
	if disk.Ignore(err, fs.ErrNotExist) != nil {
		return false, err
	}
	changed, ok := withTUI(text, was, now)
	if !ok || changed == text {
		return ok, nil
	}
	return true, disk.WriteFile(file, []byte(changed))
}

// withTUI returns the text of a configuration with what now has changed in [tui] since was. All else in it stays as it is.
func withTUI(text, was, now string) (string, bool) {
	host, before, after := tables(text), tables(was), tables(now)
	if host == nil || before == nil || after == nil {
		return "", false
	}
	ours, old, new := tableOf(host), tableOf(before), tableOf(after)
	for _, key := range slices.Sorted(maps.Keys(merged(old, new))) {
		value, set := new[key]
		switch {
		case reflect.DeepEqual(old[key], value), reflect.DeepEqual(ours[key], value):
			continue
		case !reflect.DeepEqual(ours[key], old[key]), runsSomething(key, value):
			return "", false // the host's has changed too
		}
		if text = withKey(text, key, value, set); set {
			ours[key] = value
		} else {
			delete(ours, key)
		}
	}
	if host["tui"] = ours; len(ours) == 0 {
		delete(host, "tui")
	}
	got := tables(text)
	if tui, is := got["tui"].(map[string]any); is && len(tui) == 0 {
		delete(got, "tui")
	}
	return text, reflect.DeepEqual(got, host)
}

func tableOf(tree map[string]any) map[string]any {
	table, _ := tree["tui"].(map[string]any)
	if table == nil {
		table = map[string]any{}
	}
	return table
}

func merged(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// runsSomething reports whether a key, or one in its value, is called as if a later session ran what it says.
func runsSomething(key string, value any) bool {
	for _, word := range []string{"command", "exec", "hook", "path", "program", "script", "url"} {
		if strings.Contains(strings.ToLower(key), word) {
			return true
		}
	}
	table, _ := value.(map[string]any)
	for key, value := range table {
		if runsSomething(key, value) {
			return true
		}
	}
	return false
}

// withKey returns the text with a key of [tui] set, or removed, in a line of its own. Where the key is written in another way, what comes out is
// not what is meant, which the caller sees.
func withKey(text, key string, value any, set bool) string {
	line := ""
	if set {
		line = tomlString(key) + " = " + tomlValue(value) + "\n"
	}
	var b strings.Builder
	in, done := false, false
	for l := range strings.Lines(text) {
		trimmed := strings.TrimSpace(l)
		if strings.HasPrefix(trimmed, "[") {
			in = trimmed == "[tui]"
			if in && !done && !hasKey(text, key) {
				b.WriteString(strings.TrimSuffix(l, "\n") + "\n" + line)
				done = true
				continue
			}
		}
		if in && !done && isKey(trimmed, key) {
			b.WriteString(line)
			done = true
			continue
		}
		b.WriteString(l)
	}
	if !done && set {
		if text != "" && !strings.HasSuffix(text, "\n") {
			b.WriteByte('\n')
		}
		b.WriteString("\n[tui]\n" + line)
	}
	return b.String()
}

// hasKey reports whether a line of [tui] sets the key.
func hasKey(text, key string) bool {
	in := false
	for l := range strings.Lines(text) {
		trimmed := strings.TrimSpace(l)
		if strings.HasPrefix(trimmed, "[") {
			in = trimmed == "[tui]"
		}
		if in && isKey(trimmed, key) {
			return true
		}
	}
	return false
}

func isKey(line, key string) bool {
	name, _, ok := strings.Cut(line, "=")
	name = strings.TrimSpace(name)
	return ok && (name == key || name == tomlString(key))
}

// tomlValue returns a value as TOML in one line.
func tomlValue(value any) string {
	switch v := value.(type) {
	case string:
		return tomlString(v)
	case []any:
		var list []string
		for _, one := range v {
			list = append(list, tomlValue(one))
		}
		return "[" + strings.Join(list, ", ") + "]"
	case map[string]any:
		var list []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			list = append(list, tomlString(key)+" = "+tomlValue(v[key]))
		}
		return "{ " + strings.Join(list, ", ") + " }"
	}
	return fmt.Sprint(value) // what that does not write as TOML does not read as the same
}
