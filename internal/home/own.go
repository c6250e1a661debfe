package home

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/home/rules"
)

// Share unpins an entry that the account keeps to itself although the rules would share it by now: the next reconcile brings it to the
// shared home. It reports whether an entry of that name was pinned. It is an error if a rule still makes the name private.
func Share(l account.Layout, a account.Account, name string, settings config.Settings) (bool, error) {
	names, err := readPins(a)
	if err != nil {
		return false, err
	}
	still := false
	for _, v := range viewsOf(l, a, settings) {
		if names.has(v.Name, name) && v.Rules.Class(name) == rules.Private {
			still = true
		} else {
			names.unpin(v.Name, name)
		}
	}
	switch {
	case names.changed():
		return true, names.write(a)
	case still:
		return false, disk.Unsafe("%q of %q is never shared", name, a.Meta.Label)
	}
	return false, nil
}

// Pinned returns the entries, quoted, that the account keeps to itself although the rules would share them by now.
func Pinned(l account.Layout, a account.Account, settings config.Settings) ([]string, error) {
	names, err := readPins(a)
	if err != nil {
		return nil, err
	}
	return ownEntries(l, a, settings, func(v rules.View, name string) bool {
		return names.has(v.Name, name) && v.Rules.Class(name).Shared()
	})
}

// Own returns the entries, quoted, that only this account has: by the user's patterns, by an earlier rule, or because their names look like
// those of a login. What the table itself names is left out: codex makes it again.
func Own(l account.Layout, a account.Account, settings config.Settings) ([]string, error) {
	names, err := readPins(a)
	if err != nil {
		return nil, err
	}
	return ownEntries(l, a, settings, func(v rules.View, name string) bool {
		row, named := v.Rules.Row(name)
		if row.Class.Shared() {
			return names.has(v.Name, name)
		}
		byPattern := slices.ContainsFunc(v.Rules.Private, func(pattern string) bool { return rules.Matches(pattern, name) })
		return byPattern || !named && row.Class == rules.Private || v.Name == rules.HomeView && name == rules.RootName(l)
	})
}

func viewsOf(l account.Layout, a account.Account, settings config.Settings) []rules.View {
	_, private := settings.For(a.Key)
	codex, home := rules.Views(l, a, private)
	return []rules.View{codex, home}
}

// entries returns the names, quoted, of the files and directories in both of the sandbox's directories for which want returns true.
func ownEntries(
	l account.Layout, a account.Account, settings config.Settings, want func(v rules.View, name string) bool,
) ([]string, error) {
	var names []string
	for _, v := range viewsOf(l, a, settings) {
		d, err := disk.OpenBelow(a.Dir, v.Sandbox)
		if err != nil {
			return nil, err
		}
		list, err := d.Entries()
		if err := errors.Join(err, d.Close()); err != nil {
			return nil, err
		}
		for name, mode := range list {
			if (mode.IsRegular() || mode.IsDir()) && want(v, name) {
				names = append(names, strconv.Quote(name))
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

// Unpaired returns the hard-linked entries that the account has to itself because its sandbox is on another file system than the shared
// home.
func Unpaired(a account.Account, root account.Root) ([]string, error) {
	own, err := disk.Lstat(a.CodexHome())
	if err != nil {
		return nil, err
	}
	there, err := disk.Lstat(root.SharedHome.Path + "/.")
	if err != nil || own.Dev == there.Dev {
		return nil, err
	}
	var names []string
	for _, row := range rules.CodexHomeTable {
		if row.Class != rules.HardLink {
			continue
		}
		if i, err := disk.Lstat(filepath.Join(a.CodexHome(), row.Pattern)); err == nil && i.Exists() {
			names = append(names, row.Pattern)
		}
	}
	return names, nil
}

// DropLinks removes the links of an account's home that lead into the home at was: a copy of that is the account's now.
func DropLinks(a account.Account, was string) error {
	d, err := disk.OpenBelow(a.Dir, a.Home())
	if err != nil {
		return err
	}
	defer d.Close()
	entries, err := d.Entries()
	for name := range entries {
		if target, _ := d.Readlink(name); err == nil && target == disk.WithoutSlash(was)+string(filepath.Separator)+name {
			err = d.Unlink(name)
		}
	}
	return err
}

// LookSecret returns the entries, quoted, of the account's codex home and of the shared one that stay private because their names look
// secret.
func LookSecret(l account.Layout, a account.Account, root account.Root, settings config.Settings) ([]string, error) {
	_, private := settings.For(a.Key)
	codex, _ := rules.Views(l, a, private)
	var names []string
	for _, dir := range []string{root.SharedHome.Path, codex.Sandbox} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			name := entry.Name()
			if row, named := codex.Rules.Row(name); !named && row.Class == rules.Private && codex.Rules.IsGuarded(name) &&
				!slices.Contains(names, strconv.Quote(name)) {
				names = append(names, strconv.Quote(name))
			}
		}
	}
	slices.Sort(names)
	return names, nil
}
