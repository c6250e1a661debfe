package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/config"
	"swop/confine/desk"
	"swop/disk"
)

// make makes the session's directory, and what it has to cover.
func (s *Session) make() error {
	top := filepath.Join(s.request.Account.Dir, "confined")
	s.scene.Databases = filepath.Join(top, "databases")
	if err := disk.MakeDirs(s.scene.Databases); err != nil {
		return err
	}
	others, err := s.withoutOthers()
	if err != nil {
		return err
	}
	defer others.Release()
	if err := removeDead(top, s.request.CodexHome()); err != nil {
		return err
	}
	if s.dir, err = os.MkdirTemp(top, "session-"); err != nil {
		return err
	}
	if s.lock, err = account.Flock(filepath.Join(s.dir, "lock"), unix.LOCK_EX|unix.LOCK_NB, unix.O_CLOEXEC|unix.O_CREAT); err != nil {
		return err
	}
	view := filepath.Join(s.dir, "view")
	s.scene.Runtime = filepath.Join(s.dir, "runtime")
	for _, dir := range []string{view, s.scene.Runtime} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	if s.scene.View, err = makeView(view, s.request.Account, s.request.Root.SharedHome.Path, s.request.Settings); err != nil {
		return err
	}
	if err := s.addTrust(); err != nil {
		return err
	}
	if s.configWas, err = readConfigs(view); err != nil {
		return err
	}
	if err := s.coverAhead(); err != nil {
		return err
	}
	return s.writeInside()
}

// coverAhead makes an empty .codex in the writable roots that have none, so that it can be covered: what is in one is obeyed by later sessions.
func (s *Session) coverAhead() error {
	if s.scene.Policy.Mode != config.ConfineWorkspace {
		return nil
	}
	for i, root := range s.scene.Workspace {
		path, err := s.coverIn(root.Path)
		if err != nil {
			return err
		}
		s.scene.Workspace[i].Readonly = append(root.Readonly, path...)
	}
	for _, path := range s.scene.Policy.Writable {
		if _, err := s.coverIn(path); err != nil { // RootAt finds what it makes
			return err
		}
	}
	return nil
}

// coverIn makes .codex in root, and returns it if it was missing.
func (s *Session) coverIn(root string) (made []string, err error) {
	path := filepath.Join(root, ".codex")
	if exists(path) {
		return nil, nil
	}
	if err := s.noteMade(path); err != nil {
		return nil, err
	}
	err = os.Mkdir(path, 0o755)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS) { // it cannot be made inside either
		return nil, nil
	}
	return []string{path}, err
}

// withoutOthers waits until no other session is made or removed.
func (s *Session) withoutOthers() (account.Lock, error) {
	l := account.Layout{Places: s.request.Places}
	return account.Flock(l.LockFile(".confine"), unix.LOCK_EX, unix.O_CLOEXEC|unix.O_CREAT) // no account's lock: no key begins with a dot
}

// remove removes the session's directory, and those that it made to be covered, unless another session may count on them.
func (s *Session) remove() error {
	others, err := s.withoutOthers()
	if err != nil {
		return err
	}
	defer others.Release()
	err = removeSession(s.dir)
	if len(desk.SessionDirs(s.request.Places.Root)) == 0 {
		err = errors.Join(err, s.uncover())
	}
	return err
}

// madeFile lists the directories that were made to be covered, quoted, a line each.
func (s *Session) madeFile() string { return filepath.Join(s.request.Places.Root, "confine.made") }

// noteMade adds a directory to the list.
func (s *Session) noteMade(dir string) error {
	f, err := os.OpenFile(s.madeFile(), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, strconv.Quote(dir))
	return errors.Join(err, f.Close())
}

// uncover removes the directories of the list, also those of sessions whose supervisor was killed. One that is not empty has got something
// from outside, and stays.
func (s *Session) uncover() error {
	text, err := os.ReadFile(s.madeFile())
	if err != nil {
		return disk.Ignore(err, fs.ErrNotExist)
	}
	for line := range strings.Lines(string(text)) {
		if dir, err := strconv.Unquote(strings.TrimSuffix(line, "\n")); err == nil && filepath.Base(dir) == ".codex" {
			_ = os.Remove(dir)
		}
	}
	return os.Remove(s.madeFile())
}

// removeDead removes the directories of sessions whose supervisor was killed, and all that ran in them with it. A login that was refreshed a
// moment before is brought back: the newer one counts.
func removeDead(top, own string) error {
	entries, err := os.ReadDir(top)
	for _, entry := range entries {
		dir := filepath.Join(top, entry.Name())
		if !strings.HasPrefix(entry.Name(), "session-") {
			continue
		}
		l, lockErr := account.Flock(filepath.Join(dir, "lock"), unix.LOCK_EX|unix.LOCK_NB, unix.O_CLOEXEC)
		if errors.Is(lockErr, account.ErrInUse) {
			continue
		}
		err = errors.Join(err, rescueLogin(own, dir), removeSession(dir))
		l.Release()
	}
	return err
}

func removeSession(dir string) error {
	d, err := disk.Open(filepath.Dir(dir), disk.NoFollow)
	if err != nil {
		return err
	}
	return errors.Join(disk.RemoveAll(d, filepath.Base(dir)), d.Close())
}
