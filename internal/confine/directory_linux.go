package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/account"
	"swop/internal/confine/desk"
	"swop/internal/confine/mount"
	"swop/internal/disk"
	"swop/internal/say"
)

func (r *Request) confined() string { return filepath.Join(r.Account.Dir, "confined") }

// make makes the session's directory, and what in the account's home and in the workspace is mounted, or mounted on.
func (j *Jail) make() error {
	r := &j.request
	if err := disk.MakeDirs(r.confined()); err != nil {
		return err
	}
	others, err := withoutOthers(r.Places)
	if err != nil {
		return err
	}
	defer others.Release()
	r.removeDead()
	if err := j.uncover(); err != nil {
		return err
	}
	alone := len(desk.JailsOf(r.Account.Dir)) == 0
	if j.dir, err = os.MkdirTemp(r.confined(), "jail-"); err != nil {
		return err
	}
	var lock account.Lock
	j.atEnd(func() error { defer lock.Release(); return j.remove() })
	if lock, err = account.Flock(filepath.Join(j.dir, "lock"), unix.LOCK_EX|unix.LOCK_NB, unix.O_CLOEXEC|unix.O_CREAT); err != nil {
		return err
	}
	j.scene.Runtime = filepath.Join(disk.Resolve(j.dir), "runtime")
	pid := []byte(strconv.Itoa(os.Getpid()))
	err = errors.Join(os.Mkdir(j.scene.Runtime, 0o700), os.WriteFile(filepath.Join(j.dir, desk.PIDFile), pid, 0o600))
	if err != nil {
		return err
	}
	if err := errors.Join(j.makeHome(alone), j.coverAhead()); err != nil {
		return err
	}
	j.scope = j.scene.Scope()
	return errors.Join(
		j.noteWritten(), j.clear(j.scope.mounts), j.notePoints(j.scope.mounts, alone), j.writeInside(), j.openDesk(), j.openSandboxes(),
	)
}

// makeHome makes the account's home what a session expects.
func (j *Jail) makeHome(alone bool) (err error) {
	if j.home, err = openHome(j.request.Account); err != nil {
		return err
	}
	j.atEnd(j.home.Close)
	if alone {
		if err := j.configure(); err != nil {
			return err
		}
	}
	if j.request.AuthFile == nil {
		return nil
	}
	return writeIn(j.home, ".codex/auth.json", string(j.request.AuthFile)) // the login itself lies beside the home
}

// noteWritten notes where the session can write: a link there may be its own, for all sessions to come.
func (j *Jail) noteWritten() error {
	had := Written(j.request.Places.Root)
	var paths []string
	for _, root := range j.scope.roots {
		if !slices.Contains(had, root.Path) {
			paths = append(paths, root.Path)
		}
	}
	return addPaths(writtenFile(j.request.Places.Root), paths...)
}

// clear makes way in the account's home for what is mounted there: what a session has put in the place of a directory or of a file, above
// it too, is renamed. Else it would end all later starts.
func (j *Jail) clear(mounts []mount.Mount) error {
	looked := map[string]bool{".": true}
	var look func(name string, dir bool) error
	look = func(name string, dir bool) error {
		if looked[name] {
			return nil
		}
		looked[name] = true
		if err := look(filepath.Dir(name), true); err != nil {
			return err
		}
		here := disk.At(filepath.Join(j.scene.OwnHome, name))
		if !here.Exists() || dir && here.IsDir() || !dir && here.IsRegular() {
			return nil
		}
		moved := name + ".moved-" + strings.TrimPrefix(filepath.Base(j.dir), "jail-")
		const text = "%s of an earlier session is in the way of yours: it is now %s in the account's home"
		j.request.Tell(fmt.Sprintf(text, say.Name("~/"+name), say.Name("~/"+moved)))
		return j.home.Rename(name, moved)
	}
	for _, m := range mounts {
		name, in := strings.CutPrefix(m.Target, j.scene.Home+"/")
		if !in || j.scene.Policy.HasHome() {
			continue
		}
		own := m.Source == filepath.Join(j.scene.OwnHome, name)
		dir := own || m.Source == "" || disk.At(m.Source).IsDir()
		if m.Kind == mount.Link { // which stays as the account has it
			name, dir = filepath.Dir(name), true
		}
		err := look(name, dir)
		if err == nil && own {
			err = j.home.MkdirAll(name, 0o700)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// notePoints notes what will be made in the account's home to be mounted on. It stays there: to make it at each start takes longer than to
// mount it. What the account's only session does not need is removed, if it is as it was made.
func (j *Jail) notePoints(mounts []mount.Mount, alone bool) error {
	top := j.scene.Home
	if j.scene.Policy.HasHome() { // which shows none of them
		top, alone = j.scene.OwnHome, false
	}
	needed := map[string]bool{}
	var made []string
	for _, m := range mounts {
		name, in := strings.CutPrefix(m.Target, top+"/")
		if !in {
			continue
		}
		needed[name] = true
		if _, err := j.home.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			made = append(made, name)
		}
	}
	file := filepath.Join(j.request.confined(), "points")
	if had := pathsIn(file); alone && slices.ContainsFunc(had, func(name string) bool { return !needed[name] }) {
		for _, name := range slices.Backward(had) { // what is in a directory before that
			info, err := j.home.Lstat(name)
			if err == nil && !needed[name] && (!info.Mode().IsRegular() || info.Size() == 0) {
				_ = j.home.Remove(name) // what is not empty has got something, and stays
			}
		}
		made = append(slices.DeleteFunc(had, func(name string) bool { return !needed[name] }), made...)
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return addPaths(file, made...)
}

// removeDead removes the directories of sessions whose supervisor was killed, and all that ran in them with it. One that cannot be removed
// waits.
func (r *Request) removeDead() {
	for _, dir := range desk.JailDirs(r.Places.Root) {
		l, err := account.Flock(filepath.Join(dir, "lock"), unix.LOCK_EX|unix.LOCK_NB, unix.O_CLOEXEC)
		if !errors.Is(err, account.ErrInUse) {
			_ = removeJail(dir)
			l.Release()
		}
	}
}

// remove removes the session's directory, and the directories that it made to be covered, unless another session may count on them.
func (j *Jail) remove() error {
	others, err := withoutOthers(j.request.Places)
	if err != nil {
		return err
	}
	defer others.Release()
	return errors.Join(removeJail(j.dir), j.uncover())
}

// coverAhead makes an empty .codex in the writable roots that have none, so that it can be covered: what is in one is obeyed by later
// sessions.
func (j *Jail) coverAhead() error {
	for _, root := range j.scene.Policy.Roots(j.scene.Workspace) {
		path := filepath.Join(root, ".codex")
		if disk.At(path).Exists() {
			continue
		}
		if err := addPaths(j.madeFile(), path); err != nil {
			return err
		}
		err := os.Mkdir(path, 0o755)
		// else it cannot be made inside either
		if err != nil && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, unix.EROFS) && !errors.Is(err, unix.ENOTDIR) {
			return err
		}
	}
	return nil
}

// madeFile lists what was made in workspaces to be mounted on.
func (j *Jail) madeFile() string { return filepath.Join(j.request.Places.Root, "confine.made") }

// uncover removes what is in the list once no session may count on it, also that of sessions whose supervisor was killed. It goes through
// no link: a session may have made one. What is not empty has got something, and stays.
func (j *Jail) uncover() error {
	if len(desk.JailDirs(j.request.Places.Root)) > 0 {
		return nil
	}
	for _, path := range pathsIn(j.madeFile()) {
		if above, err := disk.OpenPlace(filepath.Dir(path)); err == nil {
			_ = unix.Unlinkat(above, filepath.Base(path), unix.AT_REMOVEDIR) // else it stays
			_ = unix.Close(above)                                            // nothing was written
		}
	}
	return disk.Ignore(os.Truncate(j.madeFile(), 0), fs.ErrNotExist)
}

// withoutOthers waits until no other session is made or removed.
func withoutOthers(places config.Places) (account.Lock, error) {
	l := account.Layout{Places: places}
	return account.Flock(l.LockFile(".confine"), unix.LOCK_EX, unix.O_CLOEXEC|unix.O_CREAT) // no account's lock: no key begins with a dot
}

func removeJail(dir string) error {
	d, err := disk.Open(filepath.Dir(dir), disk.NoFollow)
	if err != nil {
		return err
	}
	return errors.Join(disk.RemoveAll(d, filepath.Base(dir)), d.Close())
}
