package config

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// maxText bounds a file that people edit, in bytes: a selector with some eight hundred bound directories.
const maxText = 64 << 10

// Parse reads a TOML text into maps, whose names keep their case: into structs the library folds it, and ignores a value where a table
// belongs. An error begins with a colon, to follow the name of a file, and repeats nothing of the text, which may be a token.
func Parse(text string) (top map[string]any, err error) {
	switch {
	case !utf8.ValidString(text):
		return nil, errors.New(": is not UTF-8")
	case depth(text) > maxDepth:
		return nil, fmt.Errorf(": is nested more than %d levels deep", maxDepth)
	}
	_, err = toml.Decode(text, &top)
	if defect, ok := errors.AsType[toml.ParseError](err); ok {
		reason, _, _ := strings.Cut(defect.Message, " but ")
		if strings.ContainsAny(reason, "0123456789") && !strings.HasPrefix(reason, "Key ") { // of a number, which it repeats
			reason = "cannot be parsed"
		}
		err = fmt.Errorf(":%d: %s", defect.Position.Line, strings.TrimRight(reason, ".,"))
	}
	return top, err
}

// maxDepth bounds what [depth] returns: the library's time grows with its square. Codex reads 80 levels.
const maxDepth = 100

// depth returns how deeply the values of a TOML text are nested: the most parts of a key, and tables and arrays around it, in one
// statement. Comments and strings have none.
func depth(text string) (deepest int) {
	around, here := []int{0}, 0 // the depths of the open tables and arrays, and of the part that i is in
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '#':
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				return deepest
			}
			i += end - 1
		case '"', '\'':
			i += stringLen(text[i:]) - 1
		case '.':
			here++
		case '[', '{':
			here++
			around = append(around, here)
		case ']', '}':
			around = around[:max(1, len(around)-1)]
		case ',':
			here = around[len(around)-1]
		case '\n':
			if len(around) == 1 {
				here = 0
			}
		}
		deepest = max(deepest, here)
	}
	return deepest
}

// stringLen returns how long the string is that a text begins with, its quotes counted: up to its end, or that of the line where one of a
// single line has none.
func stringLen(text string) int {
	quote := text[:1]
	if three := strings.Repeat(quote, 3); strings.HasPrefix(text, three) {
		quote = three
	}
	i := len(quote)
	for ; i < len(text) && !strings.HasPrefix(text[i:], quote); i++ {
		switch {
		case text[i] == '\n' && len(quote) == 1:
			return i
		case text[i] == '\\' && quote[0] == '"':
			i++
		}
	}
	for i += len(quote); i < len(text) && text[i] == quote[0]; i++ { // two more may stand before the last three
	}
	return i
}

// decode reads a text into the struct that to points to. Errors begin with file.
func decode(text, file string, to any) error {
	if len(text) > maxText {
		return fmt.Errorf("%s: is larger than 64 KiB", file)
	}
	top, err := Parse(text)
	if err != nil {
		return fmt.Errorf("%s%w", file, err)
	}
	return value{file: file, any: top}.decode(reflect.ValueOf(to).Elem(), "")
}

// value is a value in a file, and the parts of its key.
type value struct {
	file string
	path []string
	any  any
}

func (v value) fail(format string, args ...any) error {
	return fmt.Errorf("%s: %s: %s", v.file, strings.Join(v.path, "."), fmt.Sprintf(format, args...))
}

func (v value) child(key string, of any) value {
	v.path, v.any = append(v.path[:len(v.path):len(v.path)], key), of
	return v
}

// decode stores the value in to. In a struct the tag toml names a key, in exactly this case, is says what its text must be, see
// [value.text], or how large its number may be, and needed that it may not be missing.
func (v value) decode(to reflect.Value, is string) error {
	switch own := to.Addr().Interface().(type) {
	case *Beside:
		return own.read(v)
	case *Network:
		return own.read(v)
	}
	switch to.Kind() {
	case reflect.Struct:
		return v.decodeFields(to)
	case reflect.Map:
		return v.decodeNamed(to)
	case reflect.Slice:
		list := reflect.ValueOf(v.any)
		if list.Kind() != reflect.Slice {
			return v.fail("must be an array")
		}
		to.Set(reflect.MakeSlice(to.Type(), list.Len(), list.Len()))
		for i := range list.Len() {
			of := v
			of.path, of.any = slices.Clone(v.path), list.Index(i).Interface()
			of.path[len(v.path)-1] += fmt.Sprintf("[%d]", i+1)
			if err := of.decode(to.Index(i), is); err != nil {
				return err
			}
		}
	case reflect.Bool:
		b, ok := v.any.(bool)
		if !ok {
			return v.fail("must be true or false")
		}
		to.SetBool(b)
	case reflect.Int:
		n, ok := v.any.(int64)
		if most, _ := strconv.ParseInt(is, 10, 64); !ok || n < 1 || n > most {
			return v.fail("must be a number from 1 to %s", is)
		}
		to.SetInt(n)
	default:
		text, err := v.text(is)
		to.SetString(text)
		return err
	}
	return nil
}

// decodeFields stores a table in a struct, and then calls the struct's method check, if it has one.
func (v value) decodeFields(to reflect.Value) error {
	fields := map[string]reflect.StructField{}
	for _, f := range reflect.VisibleFields(to.Type()) {
		if name, _, _ := strings.Cut(f.Tag.Get("toml"), ","); name != "" {
			fields[name] = f
		}
	}
	err := v.each(func(key string, of value) error {
		f, ok := fields[key]
		if !ok {
			return of.fail("unknown key; the known ones are: %s", strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
		}
		return of.decode(to.FieldByIndex(f.Index), f.Tag.Get("is"))
	})
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if _, needed := fields[name].Tag.Lookup("needed"); needed && to.FieldByIndex(fields[name].Index).IsZero() {
			return v.fail("%s is missing", name)
		}
	}
	if c, ok := to.Addr().Interface().(interface{ check(value) error }); ok {
		return c.check(v)
	}
	return nil
}

// decodeNamed stores a table, whose names are labels, in a map by key.
func (v value) decodeNamed(to reflect.Value) error {
	to.Set(reflect.MakeMap(to.Type()))
	return v.each(func(label string, of value) error {
		key, err := of.key(label)
		if err != nil {
			return err
		}
		name, element := reflect.ValueOf(key), reflect.New(to.Type().Elem()).Elem()
		if to.MapIndex(name).IsValid() {
			return of.fail("is written twice, as another spelling of %q", key)
		}
		err = of.decode(element, "")
		to.SetMapIndex(name, element)
		return err
	})
}

// each calls do for every key of a table, in their alphabetical order, until it fails.
func (v value) each(do func(key string, of value) error) error {
	table, ok := v.any.(map[string]any)
	if !ok {
		return v.fail("must be a table")
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if err := do(key, v.child(key, table[key])); err != nil {
			return err
		}
	}
	return nil
}

// key returns the key of the label at v.
func (v value) key(label string) (string, error) {
	key, err := Key(label)
	if err != nil {
		err = v.fail("%v", err)
	}
	return key, err
}
