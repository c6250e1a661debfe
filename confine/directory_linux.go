package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/config"
	"swop/confine/desk"
	"swop/confine/mountns"
	"swop/confine/sessionconfig"
	"swop/confine/sharedlogin"
	"swop/disk"
)

// make makes the session's directory, and what in it and in the workspace is mounted, or mounted on.
func (j *Jail) make() error {
	top := j.request.confined()
	j.scene.Own = j.request.own()
	if err := errors.Join(disk.MakeDirs(j.scene.Own), disk.MakeDirs(j.request.links())); err != nil {
		return err
	}
	others, err := withoutOthers(j.request.Places)
	if err != nil {
		return err
	}
	defer others.Release()
	if err := j.request.settleDead(); err != nil {
		j.request.Tell(fmt.Sprintf("what an earlier confined session left waits: %v", err))
	}
	if err := j.request.repairOwn(); err != nil {
		return err
	}
	if j.dir, err = os.MkdirTemp(top, "jail-"); err != nil {
		return err
	}
	if j.lock, err = account.Flock(filepath.Join(j.dir, "lock"), unix.LOCK_EX|unix.LOCK_NB, unix.O_CLOEXEC|unix.O_CREAT); err != nil {
		return err
	}
	shown := filepath.Join(j.dir, "view")
	j.scene.Runtime = filepath.Join(j.dir, "runtime")
	for _, dir := range []string{shown, j.scene.Runtime} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	j.scene.View.Dir = shown
	if err := j.scene.View.Plan(j.request.homes()); err != nil {
		return err
	}
	j.scene.View.Empty = filepath.Join(j.scene.Runtime, filepath.Base(HelperPath))
	return errors.Join(j.coverAhead(), os.WriteFile(j.scene.View.Empty, nil, 0o600))
}

// fill makes the rest of the session's directory, which the program finds there.
func (j *Jail) fill() error {
	shown := j.scene.View.Dir
	return errors.Join(
		j.scene.View.Make(j.scene.Own, j.request.links()),
		mountns.MakeUpper(j.dir),
		j.request.trust().Tell(shown, j.scene.Workspace),
		sessionconfig.Note(shown, j.dir),
		j.writeInside(),
		j.giveLogin(),
		j.openDesk(),
	)
}

// coverAhead makes an empty .codex in the writable roots that have none, so that it can be covered: what is in one is obeyed by later sessions.
func (j *Jail) coverAhead() error {
	if j.scene.Policy.Mode != config.ConfineWorkspace {
		return nil
	}
	for _, path := range append([]string{j.scene.Workspace}, j.scene.Policy.Writable...) {
		if err := j.coverIn(path); err != nil {
			return err
		}
	}
	return nil
}

// coverIn makes .codex in root if it is missing.
func (j *Jail) coverIn(root string) error {
	path := filepath.Join(root, ".codex")
	if disk.At(path).Exists() {
		return nil
	}
	if err := j.noteMade(path); err != nil {
		return err
	}
	err := os.Mkdir(path, 0o755)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS) { // it cannot be made inside either
		return nil
	}
	return err
}

// withoutOthers waits until no other session is made or removed.
func withoutOthers(places config.Places) (account.Lock, error) {
	l := account.Layout{Places: places}
	return account.Flock(l.LockFile(".confine"), unix.LOCK_EX, unix.O_CLOEXEC|unix.O_CREAT) // no account's lock: no key begins with a dot
}

// remove removes the session's directory, once what it may leave is brought back, and the directories that it made to be covered, unless another session
// may count on them.
func (j *Jail) remove() error {
	left := j.request.putAside(j.dir)
	others, err := withoutOthers(j.request.Places)
	if err != nil {
		return err
	}
	defer others.Release()
	err = errors.Join(left, j.keepTrust(), j.request.settle(j.dir))
	if len(desk.JailDirs(j.request.Places.Root)) == 0 {
		err = errors.Join(err, j.uncover())
	}
	return err
}

// keepTrust keeps what the session was told of its workspace.
func (j *Jail) keepTrust() error {
	if j.scene.View.Dir == "" {
		return nil
	}
	return j.request.trust().Keep(j.dir, j.scene.View.Dir, j.scene.Workspace)
}

// madeFile lists the directories that were made to be covered, quoted, a line each.
func (j *Jail) madeFile() string { return filepath.Join(j.request.Places.Root, "confine.made") }

// noteMade adds a directory to the list.
func (j *Jail) noteMade(dir string) error { return addLines(j.madeFile(), dir) }

// uncover removes the directories of the list, also those of sessions whose supervisor was killed. One that is not empty has got something
// from outside, and stays.
func (j *Jail) uncover() error {
	for _, dir := range linesOf(j.madeFile()) {
		if base := filepath.Base(dir); base == ".codex" || base == ".git" {
			removeEmpty(dir)
		}
	}
	return disk.Ignore(os.Truncate(j.madeFile(), 0), fs.ErrNotExist)
}

// removeEmpty removes a directory if it is one, empty, and where its name says, through no link: a session may have made one above it.
func removeEmpty(dir string) {
	if above, err := disk.OpenPlace(filepath.Dir(dir)); err == nil {
		_ = unix.Unlinkat(above, filepath.Base(dir), unix.AT_REMOVEDIR) // else it stays
		_ = unix.Close(above)                                           // nothing was written
	}
}

func removeJail(dir string) error {
	d, err := disk.Open(filepath.Dir(dir), disk.NoFollow)
	if err != nil {
		return err
	}
	return errors.Join(disk.RemoveAll(d, filepath.Base(dir)), d.Close())
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
