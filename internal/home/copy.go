package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/home/rules"
	"swop/internal/say"
)

// copy makes a copy of a shared file. A user's link is made again, to lead where it led.
func (f entry) copy(to string) error {
	s := f.source
	from := s.view.target(s.name)
	if s.is.IsLink() {
		target, err := s.view.shared.Readlink(s.name)
		if !filepath.IsAbs(target) && (s.view != f.view || !filepath.IsLocal(target)) {
			target = filepath.Join(s.view.shared.Path, target)
		}
		return errors.Join(err, os.Symlink(target, to))
	}
	if !s.is.IsRegular() {
		return disk.Unsafe("neither a file nor a directory")
	}
	slow := time.AfterFunc(time.Second, func() { f.view.Say("copying " + say.ShellQuote(from) + ", as a session did") })
	defer slow.Stop()
	return copyFile(from, to)
}

// copyFile makes a copy of a file or link, with its holes, permissions and time of modification, synced.
func copyFile(from, to string) error {
	if target, err := os.Readlink(from); err == nil {
		return os.Symlink(target, to)
	}
	in, err := os.OpenFile(from, os.O_RDONLY|sys.O_NOFOLLOW|sys.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = copyData(out, in, info.Size())
	return errors.Join(err, out.Chmod(info.Mode().Perm()), out.Sync(), out.Close(), os.Chtimes(to, info.ModTime(), info.ModTime()))
}

// copyMarker gives the account's own .sandbox the marker of the user's, without which codex on Windows asks to set the machine up again.
func (e *engine) copyMarker() error {
	to := filepath.Join(e.account.CodexHome(), rules.SandboxMarker)
	from := filepath.Join(e.Root.SharedHome.Path, rules.SandboxMarker)
	if !disk.At(from).IsRegular() || disk.MayExist(to) {
		return nil
	}
	text, err := disk.ReadOwn(from, 64<<10)
	if err != nil {
		return err
	}
	if err := disk.MakeDirs(filepath.Dir(to)); err != nil {
		return err
	}
	return disk.Ignore(disk.CreateFile(to, []byte(text)), fs.ErrExist)
}
