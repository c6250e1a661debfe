package account

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
	"swop/internal/disk"
	"swop/internal/disk/sys"
)

// WrittenFile lists where confined sessions of any account could write.
func WrittenFile(root string) string { return filepath.Join(root, "confine.written") }

// Written returns where confined sessions of any account could write: everywhere, if that cannot be read. What the user moves from there is
// the user's: paths alone are noted, since the number of a removed directory soon is another one's.
func Written(root string) []string {
	text, err := os.ReadFile(WrittenFile(root))
	if disk.Ignore(err, fs.ErrNotExist, sys.ENOTDIR) != nil {
		return []string{"/"}
	}
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == 0 })
}

// CanBePlanted reports whether a session could have made a program, or a link to it.
func CanBePlanted(program string, places config.Places) bool {
	written := Written(places.Root)
	if len(written) == 0 {
		return false
	}
	return leadsInto(program, append(written, disk.Resolve(places.Root))) // sessions write the homes of their accounts
}

// leadsInto reports whether a path lies in one of these directories, or leads there by a link or through one.
func leadsInto(path string, dirs []string) bool {
	links, to := disk.Links(path)
	return to == "" || slices.ContainsFunc(append(links, to), func(path string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool { return config.Within(path, dir) })
	})
}

// OnPath returns the program that swop itself runs unconfined for the command: the first on PATH that no session can have planted. What the
// user names by a path is taken as it is.
func OnPath(command string, env config.Env, places config.Places) (string, error) {
	for _, dir := range filepath.SplitList(env.Value("PATH")) {
		if file, err := disk.OnPath(command, dir); err == nil && filepath.IsAbs(file) && !CanBePlanted(file, places) {
			return file, nil
		}
	}
	return disk.OnPath(command, "")
}

// Outside returns env for a program that swop itself runs unconfined now: on PATH is no directory that a session could write, and no
// relative one, and no other variable names a path there, as PYTHONPATH may. A directory where the user has a link to such a place stays on
// PATH: npm link makes one beside node and codex.
func Outside(env config.Env, places config.Places) config.Env {
	path := slices.DeleteFunc(filepath.SplitList(env.Value("PATH")), func(dir string) bool {
		return !filepath.IsAbs(dir) || CanBePlanted(dir, places)
	})
	written := Written(places.Root)
	env = slices.DeleteFunc(slices.Clone(env), func(variable string) bool {
		return len(written) > 0 && names(variable, written, places.Home)
	})
	return env.With("PATH", strings.Join(path, string(filepath.ListSeparator)))
}

// names reports whether a text names a path in one of these directories, by whatever way: words of it may be options of a program.
func names(text string, dirs []string, home string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n:;,='\"(){}", r) })
	return slices.ContainsFunc(dirs, func(dir string) bool { return strings.Contains(text, dir) }) ||
		slices.ContainsFunc(words, func(word string) bool {
			_, path, has := strings.Cut(config.InHome(home, word), "/")
			return has && leadsInto("/"+path, dirs)
		})
}
