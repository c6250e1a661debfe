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
	"swop/internal/say"
)

// WrittenFile lists where confined sessions of any account could write, whatever root it is in: one file for all roots of the home.
func WrittenFile(home string) string { return filepath.Join(home, ".swop", "confine.written") }

// WrittenLock is the file of the lock under which that list, the directories of sessions and stored grants change.
func WrittenLock(home string) string { return WrittenFile(home) + ".lock" }

// Written returns where confined sessions of any account could write: everywhere, if that cannot be read. What the user moves from there is
// the user's: paths alone are noted, since the number of a removed directory soon is another one's.
func Written(home string) []string {
	text, err := os.ReadFile(WrittenFile(home))
	if disk.Ignore(err, fs.ErrNotExist, sys.ENOTDIR) != nil {
		return []string{"/"}
	}
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == 0 })
}

// CheckPlaces refuses a root or a configuration, of variables or recorded, that a confined session could have made.
func CheckPlaces(p config.Places) error {
	for _, place := range []string{p.Root, filepath.Join(p.Config, config.SettingsFile), filepath.Join(p.Config, config.SelectorFile)} {
		if leadsInto(place, Written(p.Home)) {
			err := disk.Unsafe("%s: a confined session could have made it", say.Name(place))
			return say.WithHint(err, "unset SWOP_ROOT XDG_STATE_HOME XDG_CONFIG_HOME")
		}
	}
	return nil
}

// CanBePlanted reports whether a session could have made a program, or a link to it. Sessions write the homes of their accounts, too.
func CanBePlanted(program string, places config.Places) bool {
	written := Written(places.Home)
	return len(written) > 0 && leadsInto(program, append(written, disk.Resolve(places.Root), filepath.Join(places.Home, ".swop")))
}

// leadsInto reports whether a path lies in one of these directories, or leads there by a link or through one.
func leadsInto(path string, dirs []string) bool {
	links, to := disk.Links(path)
	return to == "" || slices.ContainsFunc(append(links, to), func(path string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool { return config.Within(path, dir) })
	})
}

// OnPath returns the program that swop itself runs unconfined for a command, a name or a path: the first that no session can have planted.
func OnPath(command string, env config.Env, places config.Places) (string, error) {
	for _, dir := range append(filepath.SplitList(env.Value("PATH")), "") {
		if file, err := disk.OnPath(command, dir); err == nil && filepath.IsAbs(file) && !CanBePlanted(file, places) {
			return file, nil
		}
	}
	return "", disk.Unsafe("%s: not found on PATH, or where a confined session could have made it", say.Name(command))
}

// outside are the variables that a program of swop's own has of the user's once a session could write something, in the form of path.Match:
// each has one path, none, or what runs nothing. Others, as PYTHONPATH and BASH_ENV, may name by many ways what it runs.
var outside = []string{
	"HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "TMPDIR", "DISPLAY", "WAYLAND_DISPLAY",
	"XAUTHORITY", "XDG_*_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK", "GNUPGHOME", "GPG_TTY",
	"PASSWORD_STORE_DIR", "GH_CONFIG_DIR", "*_proxy", "*_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	"CODEX_*", "OPENAI_*", "SWOP_*",
}

// Outside returns env for a program that swop itself runs unconfined now: on PATH is no directory that a session could write, and no
// relative one. A directory where the user has a link to such a place stays on PATH: npm link makes one beside node and codex.
func Outside(env config.Env, places config.Places) config.Env {
	path := slices.DeleteFunc(filepath.SplitList(env.Value("PATH")), func(dir string) bool {
		return !filepath.IsAbs(dir) || CanBePlanted(dir, places)
	})
	written := Written(places.Home)
	env = slices.DeleteFunc(slices.Clone(env), func(variable string) bool {
		name, value, _ := strings.Cut(variable, "=")
		has := func(pattern string) bool {
			is, _ := filepath.Match(pattern, name)
			return is
		}
		around := func(dir string) bool { return name != "HOME" && config.Within(dir, disk.Resolve(value)) }
		isTheirs := filepath.IsAbs(value) && (leadsInto(value, written) || slices.ContainsFunc(written, around))
		return len(written) > 0 && (isTheirs || !slices.ContainsFunc(outside, has))
	})
	return env.With("PATH", strings.Join(path, string(filepath.ListSeparator)))
}
