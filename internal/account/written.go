package account

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
	"swop/internal/disk"
)

// WrittenFile lists where confined sessions of any account could write.
func WrittenFile(root string) string { return filepath.Join(root, "confine.written") }

// Written returns where confined sessions of any account could write.
func Written(root string) []string {
	text, _ := os.ReadFile(WrittenFile(root)) // what is missing names nothing
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == 0 })
}

// Outside returns env for a program that swop itself runs unconfined: on PATH is no directory that a session could write, and no relative
// one. That danger-full-access could write the home does not count: start-up files there set PATH.
func Outside(env config.Env, places config.Places) config.Env {
	written, home := Written(places.Root), disk.Resolve(places.Home)
	path := slices.DeleteFunc(filepath.SplitList(env.Value("PATH")), func(dir string) bool {
		real := disk.Resolve(dir)
		return !filepath.IsAbs(dir) || slices.ContainsFunc(written, func(root string) bool { return root != home && config.Within(real, root) })
	})
	return env.With("PATH", strings.Join(path, string(filepath.ListSeparator)))
}
