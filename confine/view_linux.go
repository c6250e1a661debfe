package confine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/config"
	"swop/confine/sharedlogin"
	"swop/disk"
	"swop/home/rules"
)

// maxCopy bounds what is copied into a view: a larger file is mounted read-only.
const maxCopy = 16 << 20

// makeView fills dir, which is empty, for a session of the account.
func makeView(dir string, a account.Account, sharedHome string, settings config.Settings) (View, error) {
	v := View{Dir: dir}
	_, private := settings.For(a.Key)
	table := rules.CodexHomeRules(private.CodexHome, a.Meta.State)
	from := func(name string) string {
		if table.Class(name) == rules.Private {
			return filepath.Join(a.CodexHome(), name)
		}
		return filepath.Join(sharedHome, name)
	}
	for _, name := range rules.Confinable(rules.LinkedDir, rules.Writable) { // what codex makes in the view itself goes with the session
		if err := os.Mkdir(from(name), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return v, err
		}
	}
	shared, err := names(sharedHome)
	own, ownErr := names(a.CodexHome())
	if err := errors.Join(err, ownErr); err != nil {
		return v, err
	}
	all := slices.Sorted(slices.Values(append(shared, own...)))
	for _, name := range slices.Compact(all) {
		if err := v.add(name, from(name)); err != nil {
			return v, err
		}
	}
	return v, nil
}

// add gives the view an entry. What is gone, or neither file nor directory, is left out.
func (v *View) add(name, source string) error {
	use := rules.InConfinement(name)
	real, err := filepath.EvalSymlinks(source)
	if err != nil || use == rules.Fresh || disk.IsCopy(name) {
		return nil
	}
	info, err := os.Stat(real)
	if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		return nil
	}
	at := filepath.Join(v.Dir, name)
	if use == rules.Copied && info.Mode().IsRegular() && info.Size() <= maxCopy {
		return copyFile(real, at)
	}
	if use == rules.ReadOnly && info.IsDir() {
		if list, err := names(real); err != nil || len(list) == 0 {
			return err // one that is missing says no less, and each costs time
		}
	}
	v.Entries = append(v.Entries, Entry{name, real, use == rules.Writable})
	return v.placeholder(at, info.IsDir())
}

// placeholder makes what something is mounted on. One file does for all: it cannot be seen, and a link costs less than a file.
func (v *View) placeholder(path string, dir bool) error {
	if dir {
		return os.Mkdir(path, 0o700)
	}
	if v.empty == "" {
		v.empty = path
		return os.WriteFile(path, nil, 0o600)
	}
	return os.Link(v.empty, path)
}

func copyFile(from, to string) error {
	text, err := disk.ReadFile(from, unix.O_NOFOLLOW, maxCopy)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, []byte(text), 0o600)
}

// names returns what a directory holds; a missing one holds nothing.
func names(dir string) ([]string, error) {
	d, err := disk.Open(dir, disk.Follow)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []string
	err = d.Each(func(name string, _ disk.Entry) error {
		list = append(list, name)
		return nil
	})
	return list, errors.Join(err, d.Close())
}

// replacedLogin is in the directory of a session that has something else in the place of the account's login: nothing of that is brought back.
const replacedLogin = "login-replaced"

// giveLogin gives the session the account's login, or what it has in the place of it.
func (j *Jail) giveLogin() (err error) {
	text := j.request.AuthFile
	if text == nil {
		j.login, err = sharedlogin.Share(j.request.CodexHome(), j.scene.View.Dir)
		return err
	}
	if err := os.WriteFile(filepath.Join(j.dir, replacedLogin), nil, 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(j.scene.View.Dir, "auth.json"), text, 0o600)
}
