package confine

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/account"
	"swop/internal/bridge"
	"swop/internal/confine/desk"
	"swop/internal/disk"
	"swop/internal/say"
)

// make makes the session's directory, and the files and mount points in the account's home and the workspace.
func (j *Jail) make() error {
	r := &j.scene
	var err error
	if j.dir, err = bridge.MakeDirectory(r.Root, r.Key+"."); err != nil {
		return err
	}
	j.scene.AtEnd(j.remove)
	j.scene.Runtime = filepath.Join(disk.Resolve(j.dir.Path), "runtime")
	if err := errors.Join(os.Mkdir(j.scene.Runtime, 0o700), j.makeHome()); err != nil {
		return err
	}
	j.scene.findRoots()
	j.scene.layOut()
	if err = j.scene.checkTokens(); err == nil {
		err = j.noteObeyed(r.Obeyed...)
	}
	for _, r := range j.scene.roots {
		err = cmp.Or(err, j.noteWritten(r.path))
	}
	if err != nil {
		return err
	}
	in := Inside{Label: r.Meta.Label, Key: r.Key, Policy: r.Policy, CodexHome: r.CodexHome()}
	text, _ := json.MarshalIndent(in, "", "  ") // it cannot fail: these are texts and numbers
	return errors.Join(os.WriteFile(filepath.Join(r.Runtime, insideFile), append(text, '\n'), 0o600), j.openDesk())
}

// credentials is where codex keeps the logins to MCP servers.
const credentials = ".credentials.json"

// makeHome makes the codex home, its config.toml where no other session of the account runs, and the stand-in of a bridged login.
func (j *Jail) makeHome() error {
	home, err := os.OpenRoot(j.scene.OwnHome)
	if err != nil {
		return err
	}
	defer home.Close()
	if err = disk.Ignore(home.Mkdir(".codex", 0o700), fs.ErrExist); err == nil {
		j.codexHome, err = home.OpenFile(".codex", os.O_RDONLY|unix.O_DIRECTORY, 0)
	}
	if err != nil {
		return err
	}
	j.scene.AtEnd(j.codexHome.Close)
	if len(desk.SessionDirs(j.scene.Root, j.scene.Key)) == 1 {
		j.unmakePoints(home)
		err = j.configure()
	}
	if j.scene.CredentialsOnly { // to be mounted
		err = cmp.Or(err, disk.Ignore(disk.CreateFile(j.inHome(credentials), []byte("{}")), fs.ErrExist))
	}
	beside := (&account.Account{Dir: filepath.Dir(j.scene.OwnHome)}).BesideHome()
	if err != nil || j.scene.AuthFile == nil || !disk.MayExist(beside) { // another start has moved the login into the home
		return err
	}
	return disk.WriteFile(j.inHome("auth.json"), j.scene.AuthFile)
}

// unmakePoints removes empty mount points of start-up files that the user has no more: bash would read an empty .bash_profile in place of
// .profile.
func (j *Jail) unmakePoints(home *os.Root) {
	for _, name := range given {
		info, err := home.Lstat(name)
		if j.scene.Given[filepath.Join(j.scene.Home, name)] == "" && err == nil && info.Mode().IsRegular() && info.Size() == 0 {
			_ = home.Remove(name) // else it stays, empty
		}
	}
}

// noteWritten notes where a session can write, before it can: a link there may be its own, for all sessions to come. What
// danger-full-access leaves in the home counts as the user's: start-up files there run anything. A full disk cuts no path off.
func (j *Jail) noteWritten(path string) error {
	file, written := account.WrittenFile(j.scene.Home), account.Written(j.scene.Home)
	switch {
	case j.isObeyed(path):
		return &Violation{"what could be written", path, "a running session of another account is given something there: end that first"}
	case slices.Contains(written, "/"):
		return disk.Unsafe("%s: cannot be read", say.Name(file))
	case isIn(path, written):
		return nil
	}
	return disk.WriteFile(file, []byte(strings.Join(append(written, path), "\x00")))
}

// givenFile, in a session's directory, lists where it has programs and start-up files of the user's.
const givenFile = "given"

func (j *Jail) noteObeyed(paths ...string) error {
	return disk.AppendLine(filepath.Join(j.dir.Path, givenFile), []byte("\x00"+strings.Join(paths, "\x00")+"\x00"), math.MaxInt64)
}

// isObeyed reports whether a running session of another account has any of these in a path, or one around it.
func (j *Jail) isObeyed(path string) bool {
	overlaps := func(at string) bool { return config.Within(at, path) || config.Within(path, at) }
	return slices.ContainsFunc(desk.SessionDirs(j.scene.Root, ""), func(dir string) bool {
		key, _, _ := strings.Cut(filepath.Base(dir), ".")
		text, err := os.ReadFile(filepath.Join(dir, givenFile)) // without it the session has ended
		list := strings.FieldsFunc(string(text), func(r rune) bool { return r == 0 })
		return key != j.scene.Key && (disk.Ignore(err, fs.ErrNotExist) != nil || slices.ContainsFunc(list, overlaps))
	})
}

// remove removes the session's directory, and an empty .codex in its writable directories, whoever made it, unless another session runs,
// which may have covered it.
func (j *Jail) remove() error {
	others, err := withoutOthers(j.scene.Places)
	if err != nil {
		return err
	}
	defer others.Release()
	err = j.dir.Remove()
	if len(desk.SessionDirs(j.scene.Root, "")) == 0 {
		for _, root := range j.scene.Policy.Roots(j.scene.Workspace) {
			_ = inDir(root, func(fd int) error { return unix.Unlinkat(fd, ".codex", unix.AT_REMOVEDIR) }) // what is not empty stays
		}
	}
	return err
}

// withoutOthers waits until no other session of this home is made or removed.
func withoutOthers(places config.Places) (account.Lock, error) {
	_ = disk.MakeDirs(filepath.Dir(account.WrittenLock(places.Home))) // else the lock fails
	return account.Flock(account.WrittenLock(places.Home), unix.LOCK_EX, unix.O_CLOEXEC|unix.O_CREAT)
}
